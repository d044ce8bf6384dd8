import { type RenderOptions, renderMarkdown, type Task } from '../../infra/markdown/index.ts'
import { type Html, trusted } from '../html/index.ts'

/** The mark of a checklist item that is only shown. */
const shownTask = ({ isDone }: Task) =>
  `<span class="task-box" role="img" aria-label="${isDone ? 'Done' : 'To do'}">${isDone ? '☑' : '☐'}</span> `

/** Rendered Markdown. Its tables carry inline styles, which the content policy ignores: here they are classes. */
export function markdown(text: string, options?: RenderOptions): Html {
  return trusted(
    renderMarkdown(text, { task: shownTask, ...options })
      .replace(/(<t[dh]) style="text-align:(left|right|center)">/g, '$1 class="to-$2">')
      .replaceAll('<pre>', '<pre tabindex="0">'),
  )
}
