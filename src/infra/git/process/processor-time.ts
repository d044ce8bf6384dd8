/** Ends processes below a command that take too much processor time. A system without `/proc` has no such limit. */
import { readFile } from 'node:fs/promises'

const INTERVAL_MS = 250
/** `sysconf(_SC_CLK_TCK)`, the same on every Linux. */
const TICKS_PER_SECOND = 100

/** The fields of `/proc/<pid>/stat` after the name, from the third of `proc(5)` on. */
const USER_TICKS = 11
const SYSTEM_TICKS = 12

type Watch = {
  /** The process that started the others. */
  pid: number
  /** Which of the others are watched, by a word of their command line. */
  programs: readonly string[]
  /** How much processor time each may have had by now, in seconds. */
  allowedSeconds(): number
  /** Called when one was ended. */
  onExceeded(): void
}

/** Begins to watch. @returns the function that ends it */
export function watchProcessorTime({ pid, programs, allowedSeconds, onExceeded }: Watch): () => void {
  let isOver = false
  let timer = setTimeout(look, INTERVAL_MS)
  async function look(): Promise<void> {
    for (const child of await childrenOf(pid)) {
      if (isOver || !(await runsOneOf(child, programs))) continue
      const seconds = await processorSeconds(child)
      if (isOver || seconds === null || seconds <= allowedSeconds()) continue
      onExceeded()
      kill(child)
    }
    if (!isOver) timer = setTimeout(look, INTERVAL_MS)
  }
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

async function textOf(path: string): Promise<string> {
  return readFile(path, 'latin1').catch(() => '')
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await textOf(`/proc/${pid}/task/${pid}/children`)
  return text.split(' ').map(Number).filter(Boolean)
}

async function runsOneOf(pid: number, programs: readonly string[]): Promise<boolean> {
  const words = (await textOf(`/proc/${pid}/cmdline`)).split('\0')
  return words.some((word) => programs.includes(word))
}

/** Null when the process has ended. */
async function processorSeconds(pid: number): Promise<number | null> {
  const text = await textOf(`/proc/${pid}/stat`)
  if (text === '') return null
  // The name may contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[USER_TICKS]) + Number(fields[SYSTEM_TICKS])) / TICKS_PER_SECOND
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
