import { pathToFileURL } from 'node:url'
import { type RunnerTask, type RunnerTestSuite, TestRunner } from 'vitest'
import { pollLimitOf } from './limits.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** The numbers of the changes whose places were reached while a file of tests ran without a change. */
    reached?: number[]
  }
}

/**
 * `file.test.ts?change=7&limit=20000&run=3`: the seventh change is made; a number of its own for each run, as files are loaded
 * once.
 */
function partsOf(path: string): { path: string; change: number; limitMs: number } {
  const [file = '', query = ''] = path.split('?')
  const numbers = new URLSearchParams(query)
  const [change, limitMs] = ['change', 'limit'].map((name) => Number(numbers.get(name))) as [number, number]
  return { path: `${pathToFileURL(file).href}?${query}`, change, limitMs }
}

/** Runs a file of tests with one change, up to the first failure. */
export default class ChangingRunner extends TestRunner {
  #failed = false

  override async importFile(filepath: string): Promise<void> {
    const { path, limitMs } = partsOf(filepath)
    this.#activate(filepath)
    // Tests and hooks get their limits when the file that has them is loaded.
    Object.assign(this.config, { testTimeout: limitMs, hookTimeout: limitMs })
    await import(path)
  }

  #activate(filepath: string): void {
    const state = globalThis.mutation
    if (!state) throw new Error('load.ts is not loaded')
    const { change, limitMs } = partsOf(filepath)
    state.active = change
    state.count = 0
    this.#failed = false
    this.config.expect = { ...this.config.expect, poll: { timeout: pollLimitOf(limitMs) } }
  }

  /** Several files may be loaded before the first of them runs. */
  override async onBeforeRunSuite(suite: RunnerTestSuite): Promise<void> {
    if ('filepath' in suite) {
      this.#activate(String(suite.filepath))
      // Not what loading the file has reached.
      globalThis.mutation?.reached.clear()
    }
    await super.onBeforeRunSuite(suite)
  }

  override async onBeforeRunTask(task: RunnerTask): Promise<void> {
    if (this.#failed && task.type === 'test') task.mode = 'skip'
    await super.onBeforeRunTask?.(task as never)
  }

  override onAfterRunTask(task: RunnerTask): void {
    if (task.result?.state === 'fail') this.#failed = true
    super.onAfterRunTask?.(task as never)
  }

  override async onAfterRunSuite(suite: RunnerTestSuite): Promise<void> {
    const { mutation: state } = globalThis
    if ('filepath' in suite && state?.active === 0) {
      suite.meta.reached = [...state.reached]
      state.reached.clear()
    }
    await super.onAfterRunSuite(suite)
  }
}
