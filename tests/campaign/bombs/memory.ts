import { readdir, readFile } from 'node:fs/promises'

const textOf = (path: string) => readFile(path, 'utf8').catch(() => '')

/** The processes below a server, by `/proc`. */
async function descendantsOf(pid: number): Promise<number[]> {
  const children = (await textOf(`/proc/${pid}/task/${pid}/children`)).split(' ').map(Number).filter(Boolean)
  return [...children, ...(await Promise.all(children.map(descendantsOf))).flat()]
}

/** The most memory that a git process below a server has had in the page table at once, in MiB. */
async function peakOf(pid: number): Promise<number> {
  if (!(await textOf(`/proc/${pid}/cmdline`)).includes('git')) return 0
  const [, kibibytes = '0'] = /^RssAnon:\s+(\d+)/m.exec(await textOf(`/proc/${pid}/status`)) ?? []
  return Number(kibibytes) / 1024
}

/** Watches the memory of git below a server. @returns the function that tells the most that one process had, in MiB */
export function watchMemory(server: () => number): { look(): Promise<void>; peakMib(): number } {
  let peak = 0
  return {
    async look() {
      for (const pid of await descendantsOf(server())) peak = Math.max(peak, await peakOf(pid))
    },
    peakMib: () => Math.round(peak),
  }
}

/** What a folder below `objects` may not have when no push is under way: the quarantines of refused pushes. */
export async function quarantinesBelow(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true })
  return found.filter((path) => /\/objects\/tmp_objdir-[^/]*$/.test(path))
}
