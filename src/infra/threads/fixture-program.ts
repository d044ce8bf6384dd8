/** A program for the tests of threads. */
import { serveThread } from './index.ts'

type Task = { ask?: string; parameters: unknown[]; fail?: string; loop?: boolean; grow?: boolean; exit?: boolean }

serveThread(async ({ ask: name, parameters, fail, loop, grow, exit }: Task, ask) => {
  if (fail) throw new Error(fail)
  if (exit) process.exit()
  const kept: unknown[] = []
  while (grow) kept.push(Array.from({ length: 1_000 }, (_, index) => ({ index })))
  if (!name) return null
  const asked = ask(name, ...parameters)
  if (!loop) return asked
  await new Promise((resolve) => setImmediate(resolve))
  for (;;);
})
