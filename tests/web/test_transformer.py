"""The chapter on the whole model and its widget, in a real browser."""

import re

import pytest
import torch
from playwright.sync_api import Locator, Page, expect

from attnsteps import Transformer, TransformerConfig, count_flops
from attnsteps.widgets.transformer import SRC_WORDS, TGT_WORDS, WholeModel
from attnsteps.widgets.transformer_blocks import BLOCKS
from tests.browser import touch
from tests.kernel import Kernel

PAGE = "15_transformer.html"
S, T = len(SRC_WORDS), len(TGT_WORDS)


def widget(page: Page) -> Locator:
    return page.locator(".aw").filter(has=page.locator(".aw-wm-picture"))


def block(shown: Locator, name: str) -> Locator:
    return shown.locator(f'[data-block="{name}"]')


def lit(shown: Locator) -> set[str]:
    """The blocks of the picture that are lit."""
    return set(
        shown.locator(".aw-wm-block.aw-wm-lit").evaluate_all(
            "nodes => nodes.map((node) => node.dataset.block)"
        )
    )


def parameters(config: TransformerConfig) -> int:
    with torch.device("meta"):
        return Transformer(config).num_parameters()


def spoken(number: int) -> str:
    return f"{number:,}"


@pytest.mark.parametrize("size", ["base", "tiny"])
def test_the_counts_are_those_of_the_package(open_page, size):
    shown = widget(open_page(PAGE))
    shown.get_by_label(f"{size}, the").check()
    config = WholeModel(size=size).config
    total = shown.locator(".aw-wm-total")
    expect(total).to_contain_text(f"{spoken(parameters(config))} parameters")
    flops = count_flops(config, 32, S, T) / (1e9 if size == "base" else 1e6)
    expect(total).to_contain_text(f"One batch of 32: {flops:.3g} {'G' if size == 'base' else 'M'}")


def test_other_sizes_are_counted_anew_with_the_keyboard_alone(open_page):
    shown = widget(open_page(PAGE))
    shown.get_by_text("Change the sizes").press("Enter")
    for label, key, times in (("layers, N", "ArrowLeft", 2), ("heads, H", "ArrowRight", 1)):
        slider = shown.get_by_label(label)
        slider.focus()
        for _ in range(times):
            slider.press(key)
    config = TransformerConfig.base(
        37_000, 37_000, num_heads=16, num_encoder_layers=4, num_decoder_layers=4
    )
    expect(shown.locator(".aw-wm-total")).to_contain_text(spoken(parameters(config)))
    shape = shown.locator(".aw-wm-steps .aw-wm-shape").first
    expect(shape).to_have_text(f"q (B, H, S, Dk) = (32, 16, {S}, 32)")
    assert not shown.get_by_label("base, the").is_checked()


def test_untied_tables_count_three_times_and_light_one_by_one(open_page):
    shown = widget(open_page(PAGE))
    block(shown, "decoder.projection").click()
    shown.locator('.aw-wm-panel [data-key="Eout"]').first.focus()
    assert lit(shown) == {"encoder.embedding", "decoder.embedding", "decoder.projection"}
    shown.get_by_text("Change the sizes").click()
    shown.get_by_label("three tables").check()
    config = TransformerConfig.base(37_000, 37_000, tie="none")
    expect(shown.locator(".aw-wm-total")).to_contain_text(spoken(parameters(config)))
    assert lit(shown) == {"decoder.projection"}


def test_a_walk_through_every_tensor_shows_each_with_its_shape(open_page):
    shown = widget(open_page(PAGE))
    sizes = {"B": 32, "S": S, "T": T, "D": 512, "H": 8, "Dk": 64, "Dv": 64, "Dff": 2048, "V": 37000}
    block(shown, "encoder.words").click()
    back = shown.get_by_role("button", name="Back")
    while back.is_enabled():
        back.click()
    forth = shown.get_by_role("button", name="Next tensor")
    expect(forth).to_be_focused()
    steps = [(part, step) for part in BLOCKS for step in part["steps"]]
    for number, (part, step) in enumerate(steps, 1):
        numbers = [sizes.get(axis) or int(axis) for axis in step["axes"].split()]
        expect(shown.locator(".aw-wm-place")).to_have_text(f"tensor {number} of {len(steps)}")
        here = shown.locator(".aw-wm-here .aw-wm-shape")
        expect(here).to_contain_text(f"= ({', '.join(map(spoken, numbers))})")
        expect(block(shown, part["id"])).to_have_attribute("aria-pressed", "true")
        expect(shown.locator(".aw-wm-sheet")).to_have_attribute(
            "aria-label", re.compile(f"^{step['tensor']} ")
        )
        if number < len(steps):
            forth.click()
    assert forth.is_disabled()
    expect(back).to_be_focused()


def test_a_name_lights_up_in_formula_code_shape_and_picture(open_page):
    shown = widget(open_page(PAGE))
    block(shown, "decoder.cross").click()
    name = shown.locator('.aw-wm-formula [data-key="memory"]').first
    name.hover()
    expect(name).to_have_attribute("aria-pressed", "true")
    assert shown.locator(".aw-wm-formula .aw-wm-lit").all_text_contents() == ["memory", "memory"]
    assert shown.locator(".aw-wm-code .aw-wm-lit").all_text_contents() == ["memory", "memory"]
    assert lit(shown) == {"encoder.memory", "decoder.cross"}
    assert shown.locator("path.aw-wm-wire.aw-wm-lit").count() == 1
    axis = shown.locator('.aw-wm-shape [data-key="Dk"]').first
    axis.click()
    expect(shown.locator("[role=status]")).to_contain_text("D_k = 64")
    in_shapes = shown.locator(".aw-wm-shape .aw-wm-size.aw-wm-lit").all_text_contents()
    assert in_shapes == ["64", "64"]
    attentions = {part["id"] for part in BLOCKS if part["kind"] == "attention"}
    assert lit(shown) == attentions


def test_the_picture_and_the_names_can_be_walked_with_arrow_keys(open_page):
    page = open_page(PAGE)
    shown = widget(page)
    block(shown, "encoder.self").focus()
    page.keyboard.press("ArrowUp")
    expect(block(shown, "encoder.norm_1")).to_have_attribute("aria-pressed", "true")
    expect(block(shown, "encoder.norm_1")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(block(shown, "decoder.norm_1")).to_be_focused()
    first = shown.locator(".aw-wm-panel .aw-wm-name").first
    first.focus()
    page.keyboard.press("ArrowRight")
    second = shown.locator(".aw-wm-panel .aw-wm-name").nth(1)
    expect(second).to_be_focused()
    expect(second).to_have_attribute("aria-pressed", "true")
    reachable = shown.locator('.aw-wm-panel .aw-wm-name[tabindex="0"]')
    expect(reachable).to_have_count(1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_works_on_a_phone(open_page, scheme):
    page = open_page(PAGE, width=360, has_touch=True, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    shown = widget(page)
    touch(block(shown, "decoder.feed_forward"))
    expect(shown.locator(".aw-wm-inside strong")).to_have_text("Feed-forward, decoder")
    touch(shown.locator('.aw-wm-shape [data-key="Dff"]').first)
    assert lit(shown) == {"encoder.feed_forward", "decoder.feed_forward"}
    too_tall = shown.locator(".aw-wm-block").evaluate_all(
        "nodes => nodes.filter((node) => node.scrollHeight > node.clientHeight + 1).length"
    )
    assert too_tall == 0


def test_names_in_a_line_stand_as_text_does(open_page):
    """A finger's room around a name is no space between words."""
    page = open_page("genindex.html")
    Kernel(page, WholeModel())
    wide = page.evaluate(
        """() => [...document.querySelectorAll(".aw-wm-shape, .aw-wm-formula")].map((line) => {
          const width = (node) => {
            node.style.cssText = "display: inline-block; white-space: nowrap";
            return node.getBoundingClientRect().width;
          };
          const made = width(line);
          for (const name of line.querySelectorAll("button")) name.replaceWith(...name.childNodes);
          return [line.textContent, made - width(line)];
        }).filter(([, more]) => Math.abs(more) > 1)"""
    )
    assert not wide


def test_the_wires_follow_the_width(open_page):
    page = open_page(PAGE)
    shown = widget(page)
    wire = shown.locator("path.aw-wm-wire").first
    before = wire.get_attribute("d")
    page.set_viewport_size({"width": 420, "height": 900})
    expect(wire).not_to_have_attribute("d", before)
