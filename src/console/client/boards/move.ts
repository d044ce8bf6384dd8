/** What moves a card to another column: the form of the card, sent by the script. */
import { relativeTimes } from '../times.ts'

export const boardIn = (page: ParentNode) => page.querySelector<HTMLElement>('[data-board]')
export const columnAt = (element: Element | null) => element?.closest<HTMLElement>('[data-column]') ?? null
export const movableAt = (element: Element) => element.closest<HTMLElement>('[data-card]')

/** Says what happened to those who do not see it. */
function say(text: string): void {
  let status = document.getElementById('board-status')
  if (!status) {
    status = document.createElement('p')
    status.id = 'board-status'
    status.className = 'hidden'
    status.setAttribute('role', 'status')
    document.getElementById('main')?.append(status)
  }
  status.textContent = text
}

/** Puts the board of the answer, which may show why a move was refused, in the place of the one that is shown. */
function replaceBoard(html: string): boolean {
  const fresh = boardIn(new DOMParser().parseFromString(html, 'text/html'))
  const old = boardIn(document)
  if (!fresh || !old) return false
  const left = old.scrollLeft
  relativeTimes(fresh)
  const shown = document.adoptNode(fresh)
  old.replaceWith(shown)
  shown.scrollLeft = left
  return true
}

/** Moves a card to a column, as the form of the card does. */
export async function move(card: HTMLElement, column: HTMLElement): Promise<void> {
  const form = card.querySelector<HTMLFormElement>('.move-form')
  const select = form?.querySelector('select')
  const option = [...(select?.options ?? [])].find(({ dataset }) => dataset.to === column.dataset.column)
  if (!form || !select || !option) return
  const [id, key, title] = [card.dataset.card, column.dataset.column, option.text]
  select.value = option.value
  const fields = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]))
  const answer = await fetch(form.action, { method: 'POST', body: fields, headers: { Accept: 'text/html' } })
  if (!replaceBoard(await answer.text())) return location.reload()
  say(answer.ok ? `Moved to ${title}` : 'The issue could not be moved')
  const moved = document.getElementById(`card-${key}-${id}`) ?? document.querySelector(`[data-card="${id}"]`)
  moved?.querySelector<HTMLElement>('a')?.focus()
}
