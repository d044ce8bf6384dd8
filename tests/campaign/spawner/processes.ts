import { readdirSync, readFileSync } from 'node:fs'

type Process = { pid: number; parent: number; command: string }

function processAt(pid: number): Process[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (state === 'Z') return []
    return [{ pid, parent: Number(parent), command: readFileSync(`/proc/${pid}/cmdline`, 'utf8') }]
  } catch {
    // It has ended since it was listed.
    return []
  }
}

/** The processes below one, at any depth. Linux only. */
export function processesBelow(root: number): Process[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? processAt(Number(name)) : []))
  const found: Process[] = []
  for (let parents = [root]; parents.length > 0; ) {
    const children = all.filter(({ parent }) => parents.includes(parent))
    found.push(...children)
    parents = children.map(({ pid }) => pid)
  }
  return found
}

/** The process of a server that owns its git processes; undefined while there is none. */
export const spawnerOf = (server: number): number | undefined =>
  processesBelow(server).find(({ parent, command }) => parent === server && command.includes('spawner-process'))?.pid

/** The git processes of a server. */
export function gitProcessesOf(server: number): number[] {
  return processesBelow(server).flatMap(({ pid, command }) => (/^(\S*\/)?git\0/.test(command) ? [pid] : []))
}

/** Kills a process, if it is still there. */
export function killAtOnce(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
