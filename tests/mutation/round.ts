/**
 * A process that runs files of tests, each with one change (`runner.ts`), and says at once how each of them ended. It is one of
 * its own because a change may hang it.
 */
import { createVitest, type TestModule } from 'vitest/node'

/** A file of tests with a change, or without one (0). `limitMs`: of each of its tests (`limits.ts`). */
export type Run = { test: string; change: number; limitMs: number }

/** What a round is to run. */
export type Round = {
  runs: readonly Run[]
  /** Whether each run has a process of its own, in which what is computed at the start is computed with the change. */
  isFresh: boolean
}

/** `index`: of a run. `reached` where nothing was changed. */
export type RoundReport =
  | { kind: 'begun'; index: number }
  | { kind: 'ended'; index: number; isPassed: boolean; durationMs: number; reached?: number[]; failure?: string }

function say(report: RoundReport): void {
  process.send?.(report)
}

const indexOf = ({ moduleId }: TestModule) => Number(new URLSearchParams(moduleId.split('?')[1]).get('run'))

function failureOf(module: TestModule): string | undefined {
  const [ownError] = module.errors()
  if (ownError) return ownError.message
  for (const test of module.children.allTests('failed'))
    return `${test.fullName}: ${test.result().errors?.[0]?.message}`
  return undefined
}

function end(module: TestModule): void {
  const { reached } = module.meta()
  const failure = failureOf(module)
  // Without the imports: the first file of a process imports for all.
  const durationMs = module.diagnostic().duration
  const isPassed = module.state() === 'passed'
  say({
    kind: 'ended',
    index: indexOf(module),
    isPassed,
    durationMs,
    ...(reached && { reached }),
    ...(failure && { failure }),
  })
}

async function run({ runs, isFresh }: Round): Promise<void> {
  const vitest = await createVitest('test', {
    watch: false,
    isolate: isFresh,
    maxWorkers: 2,
    runner: new URL('runner.ts', import.meta.url).pathname,
    execArgv: ['load.ts', '../../scripts/tsx.mjs'].flatMap((path) => ['--import', new URL(path, import.meta.url).href]),
    dangerouslyIgnoreUnhandledErrors: true,
    reporters: [
      {
        onTestModuleQueued: (module: TestModule) => say({ kind: 'begun', index: indexOf(module) }),
        onTestModuleEnd: end,
      },
    ],
  })
  const project = vitest.getRootProject()
  await vitest.runTestSpecifications(
    runs.map(({ test, change, limitMs }, index) =>
      project.createSpecification(`${test}?change=${change}&limit=${limitMs}&run=${index}`),
    ),
  )
  await vitest.close()
  process.disconnect()
}

process.once('message', (round) => void run(round as Round))
