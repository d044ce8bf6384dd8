/** Cards that are carried to another column by the pointer. */
import { columnAt, movableAt, move } from './move.ts'

/** How far a pointer moves before a card is carried, in pixels. */
const distance = 6

type Carried = { card: HTMLElement; x: number; y: number; copy: HTMLElement | null; over: HTMLElement | null }

/** A copy of a card that follows the pointer. */
function copyOf(card: HTMLElement): HTMLElement {
  const copy = card.cloneNode(true) as HTMLElement
  copy.removeAttribute('id')
  copy.classList.add('carried')
  copy.style.width = `${card.offsetWidth}px`
  document.body.append(copy)
  card.classList.add('dragged')
  return copy
}

function mark(carried: Carried, over: HTMLElement | null): void {
  carried.over?.classList.remove('over')
  over?.classList.add('over')
  carried.over = over
}

/** Carries cards by mouse or pen; a finger scrolls, and has the form of the card. */
export function pointer(): void {
  let carried: Carried | null = null
  const drop = () => {
    if (!carried) return
    mark(carried, null)
    carried.copy?.remove()
    carried.card.classList.remove('dragged')
    carried = null
  }
  document.addEventListener('pointerdown', (event) => {
    const target = event.target as Element
    const card = movableAt(target)
    if (!card || event.button !== 0 || event.pointerType === 'touch' || target.closest('details')) return
    carried = { card, x: event.clientX, y: event.clientY, copy: null, over: null }
  })
  // A link or a picture in a card would be dragged by the browser itself.
  document.addEventListener('dragstart', (event) => {
    if (carried) event.preventDefault()
  })
  document.addEventListener('pointermove', (event) => {
    if (!carried) return
    const { card, x, y } = carried
    if (!carried.copy && Math.hypot(event.clientX - x, event.clientY - y) < distance) return
    carried.copy ??= copyOf(card)
    carried.copy.style.left = `${event.clientX + 8}px`
    carried.copy.style.top = `${event.clientY + 8}px`
    getSelection()?.removeAllRanges()
    const column = columnAt(document.elementFromPoint(event.clientX, event.clientY))
    mark(carried, column === columnAt(card) ? null : column)
  })
  document.addEventListener('pointerup', () => {
    const { card, over, copy } = carried ?? {}
    drop()
    if (!copy) return
    // The click that follows would open the link under the pointer.
    const stop = (event: Event) => event.preventDefault()
    document.addEventListener('click', stop, { capture: true, once: true })
    setTimeout(() => document.removeEventListener('click', stop, { capture: true }))
    if (card && over) void move(card, over)
  })
  document.addEventListener('pointercancel', drop)
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') drop()
  })
}
