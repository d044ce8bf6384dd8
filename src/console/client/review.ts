/** The form at a line of a diff, and marks of files that were viewed. */

const rowsAbove = 40

/** The numbers of a line on both sides; empty on the side where it does not exist. */
function numbersOf(row: Element): [before: string, after: string] {
  const cells = [...row.querySelectorAll<HTMLElement>('td.no')]
  const [before, after] = cells.map((cell) => {
    return cell.dataset.line ?? cell.querySelector<HTMLElement>('[data-line]')?.dataset.line ?? ''
  })
  return [before ?? '', after ?? '']
}

/** The numbers of the line at a cell: side by side, a row has a line before and another one after. */
function lineAt(cell: Element): [before: string, after: string] {
  const row = cell.closest('tr') as HTMLTableRowElement
  const [before, after] = numbersOf(row)
  if (row.closest('.split') === null || cell.matches('.same')) return [before, after]
  return cell === row.cells[0] ? [before, ''] : ['', after]
}

const wordsOf = ([before, after]: readonly string[]) => (after === '' ? `removed line ${before}` : `line ${after}`)

function set(form: HTMLFormElement, name: string, value: string): void {
  const field = form.elements.namedItem(name)
  if (!(field instanceof HTMLInputElement)) return
  // What has no number on a side is not sent for it.
  field.disabled = value === ''
  field.value = value
}

/** The lines above one in the same part of a file, the nearest first. */
function linesAbove(row: Element): [before: string, after: string][] {
  const found: [string, string][] = []
  let above = row.previousElementSibling
  while (above && !above.matches('.hunk') && found.length < rowsAbove) {
    if (above.matches('.add, .del, .same')) found.push(numbersOf(above))
    above = above.previousElementSibling
  }
  return found
}

/** Offers the lines above as the beginning of what the thread is about. */
function fillRange(form: HTMLFormElement, row: Element, end: readonly string[]): void {
  const lines = [end, ...linesAbove(row)]
  const range = form.querySelector<HTMLElement>('.range')
  const select = form.querySelector('select')
  if (!range || !select) return
  range.hidden = lines.length === 1
  select.removeAttribute('name')
  const label = (line: readonly string[], index: number) => (index === 0 ? 'this line' : wordsOf(line))
  select.replaceChildren(...lines.map((line, index) => new Option(label(line, index), String(index))))
  const choose = () => {
    const [before = '', after = ''] = lines[Number(select.value)] ?? end
    for (const [part, [old, now]] of [['start', [before, after]] as const, ['end', end] as const]) {
      set(form, `position[line_range][${part}][old_line]`, old ?? '')
      set(form, `position[line_range][${part}][new_line]`, now ?? '')
    }
  }
  select.addEventListener('change', choose)
  choose()
  const last = form.querySelector('.end')
  if (last) last.textContent = wordsOf(end)
}

/** Opens the form below a line, in place of one that is open elsewhere. */
function openForm(link: HTMLAnchorElement): boolean {
  const template = document.querySelector<HTMLTemplateElement>('#line-form')
  const cell = link.closest('td')
  const row = link.closest('tr')
  const file = link.closest<HTMLElement>('.diff')
  const copy = template?.content.firstElementChild?.cloneNode(true)
  if (!(copy instanceof HTMLFormElement) || !cell || !row || !file) return false
  document.querySelector('tr.scripted')?.remove()
  const end = lineAt(cell)
  copy.action = link.href
  set(copy, '_then', `${location.pathname}${location.search}#${link.hash.slice(1)}`)
  set(copy, 'position[old_path]', file.dataset.oldPath ?? '')
  set(copy, 'position[new_path]', file.dataset.newPath ?? '')
  set(copy, 'position[old_line]', end[0])
  set(copy, 'position[new_line]', end[1])
  fillRange(copy, row, end)
  const suggest = copy.querySelector<HTMLButtonElement>('[data-suggest]')
  if (suggest) suggest.hidden = end[1] === ''
  const holder = document.createElement('tr')
  holder.className = 'about-lines scripted'
  const place = holder.insertCell()
  place.colSpan = 4
  place.append(copy)
  let after: Element = row
  while (after.nextElementSibling?.matches('.about-lines')) after = after.nextElementSibling
  after.after(holder)
  copy.querySelector('textarea')?.focus()
  return true
}

/** Begins a suggestion with the lines that the thread is about. */
function suggest(form: HTMLFormElement): void {
  const text = form.querySelector('textarea')
  const holder = form.closest('tr')
  let row = holder?.previousElementSibling
  while (row?.matches('.about-lines')) row = row.previousElementSibling
  const count = Number(form.querySelector('select')?.value ?? 0)
  const lines: string[] = []
  for (let left = count; row && left >= 0; row = row.previousElementSibling) {
    if (!row.matches('.add, .same, .del') && row.closest('.split') === null) continue
    const cells = row.querySelectorAll('.line')
    if (!row.matches('.del')) lines.unshift(cells[cells.length - 1]?.textContent ?? '')
    left -= 1
  }
  if (text) text.value += `\`\`\`suggestion:-${Math.max(0, lines.length - 1)}+0\n${lines.join('\n')}\n\`\`\`\n`
  text?.focus()
}

/** Opens forms at lines without loading the page again. */
function lineForms(): void {
  document.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    const target = event.target as Element
    const link = target.closest<HTMLAnchorElement>('.talked td.no a')
    if (link && openForm(link)) event.preventDefault()
    if (target.closest('[data-cancel]')) target.closest('tr.scripted')?.remove()
    const button = target.closest<HTMLButtonElement>('[data-suggest]')
    if (button?.form) suggest(button.form)
  })
}

const mostMarks = 2_000

/** Lets files be marked as viewed. A file that has changed since is not marked any more. */
function viewedMarks(): void {
  const files = [...document.querySelectorAll<HTMLDetailsElement>('.diff[data-mark]')]
  if (files.length === 0) return
  const key = `viewed ${location.pathname}`
  const stored = localStorage.getItem(key)
  const marks = new Set(stored ? stored.split(' ') : [])
  const store = () => localStorage.setItem(key, [...marks].slice(-mostMarks).join(' '))
  for (const file of files) {
    const mark = file.dataset.mark ?? ''
    const label = document.createElement('label')
    label.className = 'viewed-mark'
    const box = Object.assign(document.createElement('input'), { type: 'checkbox', checked: marks.has(mark) })
    label.append(box, ' Viewed')
    file.querySelector('summary')?.after(label)
    if (box.checked) file.open = false
    box.addEventListener('change', () => {
      if (box.checked) marks.add(mark)
      else marks.delete(mark)
      file.open = !box.checked
      store()
    })
  }
}

/** Reviews of merge requests. */
export function reviews(): void {
  lineForms()
  viewedMarks()
}
