import { randomUUID } from 'node:crypto'
import type { RenderOptions } from '../../../infra/markdown/index.ts'
import { type Html, trusted } from '../../html/index.ts'

/** Renders a text with what its references are to. */
type Rendering = (options: Pick<RenderOptions, 'reference' | 'others'>) => Html

/**
 * The Markdown texts of a page. They are rendered when the page is whole, so that their references are looked up at once; until then a mark
 * stands for each.
 */
export class PageTexts {
  readonly #mark = `text-${randomUUID()}-`
  readonly #texts: Rendering[] = []

  /** Adds a text. @returns what stands for it in the page */
  add(render: Rendering): Html {
    this.#texts.push(render)
    return trusted(`${this.#mark}${this.#texts.length - 1};`)
  }

  /** Puts the texts in their places. @param renderAll renders them all, in their order */
  async fill(page: Html, renderAll: (texts: readonly ((options: RenderOptions) => string)[]) => Promise<string[]>) {
    if (this.#texts.length === 0) return page
    const rendered = await renderAll(this.#texts.splice(0).map((render) => (options) => render(options).text))
    return trusted(page.text.replace(new RegExp(`${this.#mark}(\\d+);`, 'g'), (_, number) => rendered[number] ?? ''))
  }
}
