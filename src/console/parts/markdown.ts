import { type RenderOptions, renderMarkdown } from '../../infra/markdown/index.ts'
import { type Html, trusted } from '../html/index.ts'

/** Rendered Markdown. Its tables carry inline styles, which the content policy ignores: here they are classes. */
export function markdown(text: string, options?: RenderOptions): Html {
  return trusted(
    renderMarkdown(text, options)
      .replace(/(<t[dh]) style="text-align:(left|right|center)">/g, '$1 class="to-$2">')
      .replaceAll('<pre>', '<pre tabindex="0">'),
  )
}
