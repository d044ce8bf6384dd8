/** A page has no more lines. */
const mostLines = 20_000

/** The first and the last line that an address names: `#L5` or `#L5-L9`. */
function namedLines(): [number, number] | null {
  const [, first, last] = /^#L(\d+)(?:-L?(\d+))?$/.exec(location.hash) ?? []
  if (!first) return null
  const ends = [Number(first), Number(last ?? first)].sort((one, other) => one - other)
  return ends as [number, number]
}

/** Marks the lines that the address names. */
function markLines(): void {
  for (const row of document.querySelectorAll('.code tr.chosen')) row.classList.remove('chosen')
  const [first, last] = namedLines() ?? [1, 0]
  for (let line = first; line <= Math.min(last, first + mostLines); line += 1) {
    const row = document.getElementById(`L${line}`)
    row?.classList.add('chosen')
    if (line === first && first !== last) row?.scrollIntoView({ block: 'center' })
  }
}

/** A click on the number of a line makes its address; with Shift, that of the lines from the named one to this one. */
export function lineNumbers(): void {
  document.addEventListener('click', (event) => {
    const cell = (event.target as Element).closest<HTMLElement>('.code .no')
    const line = cell?.closest<HTMLElement>('[id]')
    if (!cell || !line) return
    const from = event.shiftKey ? namedLines() : null
    const top = scrollY
    location.hash = from ? `L${from[0]}-${line.id}` : line.id
    scrollTo({ top })
  })
  addEventListener('hashchange', markLines)
  markLines()
}

/** A key that is named by a link (`data-key`) follows it. `y` keeps the lines that the address names. */
export function linkKeys(): void {
  document.addEventListener('keydown', (event) => {
    const isCommand = event.ctrlKey || event.metaKey || event.altKey
    if (isCommand || (event.target as Element).closest('input, textarea, select, dialog')) return
    const link = document.querySelector<HTMLAnchorElement>(`a[data-key="${CSS.escape(event.key)}"]`)
    if (!link) return
    event.preventDefault()
    location.assign(link.href + (event.key === 'y' ? location.hash : ''))
  })
}
