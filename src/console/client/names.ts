const waitMs = 150

/** The page that lists what a field may name: branches of this project, or what the search finds. */
function pageOf(kind: string, text: string): string {
  const [place = ''] = location.pathname.split('/-/', 1)
  return `${kind === 'branch' ? `${place}/-/branches` : '/search'}?search=${encodeURIComponent(text)}`
}

/** The names on a page of a list. A namespace is a group or a user. */
async function namesOf(kind: string, text: string, signal: AbortSignal): Promise<string[]> {
  const answer = await fetch(pageOf(kind, text), { signal })
  const found = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const kinds = kind === 'namespace' ? ['group', 'user'] : [kind]
  return kinds.flatMap((one) =>
    [...found.querySelectorAll<HTMLElement>(`main [data-${one}]`)].map(({ dataset }) => dataset[one] ?? ''),
  )
}

/** Completes what is written into fields that name a user, a group, a project or a branch. */
export function names(): void {
  let asked: AbortController | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  document.addEventListener('input', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !target.dataset.completes) return
    const { value: text, dataset, id } = target
    asked?.abort()
    clearTimeout(timer)
    if (text.trim().length < 2) return
    asked = new AbortController()
    const { signal } = asked
    timer = setTimeout(async () => {
      const names = await namesOf(dataset.completes ?? '', text.trim(), signal).catch(() => [])
      if (signal.aborted) return
      const list = Object.assign(document.createElement('datalist'), { id: `${id}-names` })
      list.append(...names.map((value) => Object.assign(document.createElement('option'), { value })))
      document.getElementById(list.id)?.remove()
      target.after(list)
      target.setAttribute('list', list.id)
    }, waitMs)
  })
}
