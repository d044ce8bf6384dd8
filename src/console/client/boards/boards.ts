/** Cards of boards move between columns: by the pointer, and by Shift with the arrow keys. Each move sends the form of the card. */
import { boardIn, columnAt, movableAt, move } from './move.ts'
import { pointer } from './pointer.ts'

const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 }

/** Shift with an arrow moves the card that has the focus to the next column. */
function keyboard(): void {
  document.addEventListener('keydown', (event) => {
    const step = steps[event.key]
    const target = event.target as Element
    const card = movableAt(target)
    if (!step || !event.shiftKey || !card || target.matches('select, input')) return
    const columns = [...document.querySelectorAll<HTMLElement>('[data-column]')]
    const own = columnAt(card)
    const next = own && columns[columns.indexOf(own) + step]
    if (!next) return
    event.preventDefault()
    void move(card, next)
  })
}

/** Lets cards be moved without loading the page again. */
export function boards(): void {
  if (!boardIn(document)) return
  pointer()
  keyboard()
}
