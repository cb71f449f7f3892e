"""Start Chromium for tests."""

import shutil

from playwright.sync_api import Browser, BrowserType

#: Chromium without its windows, menus and profiles, which no test looks at: tests take a quarter less processor time.
SHELL = "chromium-headless-shell"
FULL = "/usr/bin/chromium"
#: What Chromium would load for each browser profile though no test sees it: suggestions below its address bar, and a
#: process for the next page. The others are what Playwright disables by the same option, whose last value applies.
_UNUSED = (
    "WebUIOmniboxPopup,WebUIOmniboxAimPopup,SpareRendererForSitePerProcess,AvoidUnnecessaryBeforeUnloadCheckSync,"
    "DestroyProfileOnBrowserClose,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,PaintHolding,"
    "ThirdPartyStoragePartitioning,AvoidCorsURLLoaderRestartOnRedirect,OptimizationHints,NetworkTimeServiceQuerying,"
    "MediaRouter,AimEnabled,PreconnectToSearch"
)


def launch(kind: BrowserType, *options: str, is_full: bool = False) -> Browser:
    """Start Chromium: its headless shell, if the machine has it and ``is_full`` doesn't ask for the whole browser.

    Without hinting, letters are as wide in the shell as in the whole browser, and so is every layout.
    """
    shell = None if is_full else shutil.which(SHELL)
    return kind.launch(
        executable_path=shell or FULL,
        args=[f"--disable-features={_UNUSED}", "--font-render-hinting=none", *options],
    )
