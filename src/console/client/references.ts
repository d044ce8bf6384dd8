/** The sign and the letters after it before the cursor. */
function wordBefore(text: HTMLTextAreaElement): { sign: string; letters: string; start: number } | null {
  const before = text.value.slice(0, text.selectionStart)
  const [, sign, letters] = /(?:^|[\s(])([@#!~])([\w.\-:]{0,40})$/.exec(before) ?? []
  return sign === undefined || letters === undefined
    ? null
    : { sign, letters, start: before.length - letters.length - 1 }
}

let asked: AbortController | undefined

/** What the server offers for a word: references with their words. */
async function entriesOf(address: string, sign: string, letters: string): Promise<HTMLElement[]> {
  asked?.abort()
  asked = new AbortController()
  const query = new URLSearchParams({ sign, text: letters })
  const answer = await fetch(`${address}?${query}`, { signal: asked.signal, headers: { Accept: 'text/html' } })
  const found = new DOMParser().parseFromString(await answer.text(), 'text/html')
  return [...found.querySelectorAll<HTMLElement>('main .references [data-reference]')]
}

/** Offers members, issues, merge requests and labels while one writes `@`, `#`, `!` or `~`. */
export function references(): void {
  const list = document.createElement('ul')
  list.className = 'suggestions'
  list.id = 'suggestions'
  list.setAttribute('role', 'listbox')
  list.setAttribute('aria-label', 'References')
  let shownFor: HTMLTextAreaElement | null = null
  let chosen = 0
  const close = () => {
    list.remove()
    shownFor?.removeAttribute('aria-controls')
    shownFor = null
  }
  const mark = () => {
    for (const [index, item] of [...list.children].entries())
      item.setAttribute('aria-selected', String(index === chosen))
  }
  const take = (item: Element | undefined) => {
    const word = shownFor && wordBefore(shownFor)
    const reference = (item as HTMLElement | undefined)?.dataset.reference
    if (!shownFor || !word || !reference) return close()
    shownFor.setRangeText(`${reference} `, word.start, shownFor.selectionStart, 'end')
    shownFor.focus()
    close()
  }
  const offer = async (text: HTMLTextAreaElement) => {
    const word = wordBefore(text)
    const address = text.dataset.completion
    if (!word || !address) return close()
    const entries = await entriesOf(address, word.sign, word.letters).catch(() => null)
    if (entries === null) return
    if (entries.length === 0 || wordBefore(text)?.start !== word.start) return close()
    list.replaceChildren(...entries.map((entry) => document.importNode(entry, true)))
    for (const item of list.children) item.setAttribute('role', 'option')
    chosen = 0
    mark()
    shownFor = text
    text.setAttribute('aria-controls', list.id)
    text.after(list)
  }
  document.addEventListener('input', ({ target }) => {
    if (target instanceof HTMLTextAreaElement && target.dataset.completion) void offer(target)
  })
  document.addEventListener('focusout', ({ target }) => {
    if (target === shownFor) close()
  })
  list.addEventListener('mousedown', (event) => {
    event.preventDefault()
    take((event.target as Element).closest('li') ?? undefined)
  })
  document.addEventListener('keydown', (event) => {
    if (event.target !== shownFor || !shownFor) return
    const count = list.children.length
    if (event.key === 'ArrowDown') chosen = (chosen + 1) % count
    else if (event.key === 'ArrowUp') chosen = (chosen + count - 1) % count
    else if (event.key === 'Enter' || event.key === 'Tab') take(list.children[chosen])
    else if (event.key === 'Escape') close()
    else return
    event.preventDefault()
    mark()
  })
}
