/** Cards that are carried to another column by the pointer. */
import { boardIn, columnAt, movableAt, move } from './move.ts'

/** How far a pointer moves before a card is carried, in pixels. */
const distance = 6
/** How long a finger stays on a card before the card is carried; before that it scrolls. */
const holdMs = 350
/** Near an edge, in pixels, a carried card scrolls, by so much for each frame. */
const edge = 40
const step = 10

type Carried = {
  card: HTMLElement
  x: number
  y: number
  copy: HTMLElement | null
  over: HTMLElement | null
  /** Of a finger: carries the card when it has stayed. */
  hold: number | undefined
}

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
  if (carried.over === over) return
  carried.over?.classList.remove('over')
  over?.classList.add('over')
  carried.over = over
}

/** The other column below the pointer. */
function columnBelow({ card, x, y }: Carried): HTMLElement | null {
  const column = columnAt(document.elementFromPoint(x, y))
  return column === columnAt(card) ? null : column
}

/** Moves the copy to where the pointer is, and marks the column below. */
function follow(carried: Carried): void {
  const { card, x, y } = carried
  carried.copy ??= copyOf(card)
  carried.copy.style.left = `${x + 8}px`
  carried.copy.style.top = `${y + 8}px`
  getSelection()?.removeAllRanges()
  mark(carried, columnBelow(carried))
}

/** How far to scroll for a pointer at the beginning or the end of what is seen. */
const stepAt = (at: number, from: number, to: number) => (at < from + edge ? -step : at > to - edge ? step : 0)

/** Scrolls the board, and the page where the columns are below each other, while a card is at an edge. */
function scrollWhile(current: () => Carried | null): void {
  const carried = current()
  const board = boardIn(document)
  if (!carried?.copy || !board) return
  const { left, right } = board.getBoundingClientRect()
  board.scrollLeft += stepAt(carried.x, Math.max(left, 0), Math.min(right, innerWidth))
  scrollBy(0, stepAt(carried.y, 0, innerHeight))
  mark(carried, columnBelow(carried))
  requestAnimationFrame(() => scrollWhile(current))
}

/** Carries cards by mouse or pen, and by a finger that has stayed on one. */
export function pointer(): void {
  let carried: Carried | null = null
  const current = () => carried
  const drop = () => {
    if (!carried) return
    clearTimeout(carried.hold)
    mark(carried, null)
    carried.copy?.remove()
    carried.card.classList.remove('dragged')
    carried = null
  }
  const carry = (): void => {
    if (!carried) return
    const isNew = !carried.copy
    follow(carried)
    if (isNew) scrollWhile(current)
  }
  document.addEventListener('pointerdown', (event) => {
    drop()
    const target = event.target as Element
    const card = movableAt(target)
    if (!card || event.button !== 0 || !event.isPrimary || target.closest('details')) return
    const hold = event.pointerType === 'touch' ? setTimeout(carry, holdMs) : undefined
    carried = { card, x: event.clientX, y: event.clientY, copy: null, over: null, hold }
  })
  // A carried card neither scrolls nor opens a menu. A link or a picture in it would be dragged by the browser itself.
  const keep = (event: Event) => {
    if (carried?.copy || (carried && event.type === 'dragstart')) event.preventDefault()
  }
  for (const type of ['dragstart', 'contextmenu', 'touchmove'])
    document.addEventListener(type, keep, { passive: false })
  document.addEventListener('pointermove', (event) => {
    if (!carried) return
    const { x, y, copy, hold } = carried
    if (!copy && Math.hypot(event.clientX - x, event.clientY - y) < distance) return
    // A finger that moves at once scrolls.
    if (!copy && hold !== undefined) return drop()
    Object.assign(carried, { x: event.clientX, y: event.clientY })
    carry()
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
