"""Take the README's picture: a screenshot of the landing page's widget on the built site.

Run `python -m scripts.picture` after `make site`, on a machine with a font for Chinese (Debian:
fonts-noto-cjk).
"""

from PIL import Image
from playwright.sync_api import sync_playwright

from tests.browser import LAUNCH, ROOT, SITE, find_browser, serve

TARGET = ROOT / ".github" / "six_steps.png"

if __name__ == "__main__":
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=LAUNCH)
        for base in serve(SITE):
            page = browser.new_page(
                viewport={"width": 1280, "height": 1000}, device_scale_factor=1.5
            )
            page.goto(f"{base}intro.html")
            page.locator(".attnsteps-widget[data-ready] .aw").first.screenshot(path=TARGET)
        browser.close()
    picture = Image.open(TARGET).convert("RGB").quantize(64, dither=Image.Dither.NONE)
    picture.save(TARGET, optimize=True)
