import { relativeTimes } from './times.ts'

const everyMs = 3_000
const everyMsHidden = 15_000

const main = () => document.getElementById('main')

/** Whether a part is in use: a menu is open, or a field of it has the focus. */
function isUsed(part: Element): boolean {
  return (
    part.querySelector('details.menu[open]') !== null || part.contains(document.activeElement?.closest('form') ?? null)
  )
}

/** Puts a part of a newer page in the place of the same part of this one. What people have opened stays open. */
function replace(old: Element, fresh: Element | null | undefined): void {
  if (!fresh || isUsed(old)) return
  relativeTimes(fresh)
  if (fresh.innerHTML === old.innerHTML) return
  old.replaceWith(document.adoptNode(fresh))
}

async function refresh(address: string): Promise<void> {
  const answer = await fetch(address, { headers: { Accept: 'text/html' } })
  if (!answer.ok || answer.redirected) return
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const named = [...document.querySelectorAll('[data-live][id]')]
  const parts = named.length > 0 ? named.map(({ id }) => `#${id}`) : ['main > :last-child']
  for (const selector of ['main > .head', ...parts]) {
    const old = document.querySelector(selector)
    if (old) replace(old, fresh.querySelector(selector))
  }
  const next = fresh.getElementById('main')?.dataset.refreshes
  const shown = main()
  if (next === undefined) delete shown?.dataset.refreshes
  else if (shown) shown.dataset.refreshes = next
}

/** Reads a page again that shows progress, until it shows none any more. */
export function liveParts(): void {
  const next = () => {
    const address = main()?.dataset.refreshes
    if (address === undefined) return
    setTimeout(
      async () => {
        // The server may be away for a moment.
        await refresh(address).catch(() => undefined)
        next()
      },
      document.hidden ? everyMsHidden : everyMs,
    )
  }
  next()
}
