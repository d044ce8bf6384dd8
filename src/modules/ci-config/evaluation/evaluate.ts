import { limited, runInThread, ThreadEnded } from '../../../infra/threads/index.ts'
import { type Platform, perPlatform } from '../../../platform/index.ts'
import { Budget, BudgetExceeded } from '../document/budget.ts'
import { configLimits } from '../document/limits.ts'
import type { ConfigSource } from '../document/source.ts'
import { tooBig } from '../errors.ts'
import type { PipelinePlan } from '../types.ts'
import { type CommitAccess, type Linted, type LintTask, lint, plan, type Works } from './works.ts'

const program = new URL('./thread-program', import.meta.url)

/** Threads at once; each takes a processor, and up to its memory. */
const mostThreads = 2
const longestMs = 60_000
const mostMemoryMib = 512

const threads = perPlatform(() => limited(mostThreads))

/** A source of files as a thread knows it: by a number. */
export type SourceHandle = { handle: number; project: string; sha: string }

/** What a thread may ask, and where it puts jobs. */
function answersFor({ source, facts }: CommitAccess, jobs: unknown[]) {
  const sources: ConfigSource[] = [source]
  const at = (handle: number) => sources[handle] as ConfigSource
  return {
    read: (handle: number, path: string) => at(handle).read(path),
    paths: (handle: number) => at(handle).paths(),
    async other(handle: number, project: string, ref: string | null): Promise<SourceHandle | string> {
      const other = await at(handle).other(project, ref)
      if (typeof other === 'string') return other
      return { handle: sources.push(other) - 1, project: other.project, sha: other.sha }
    },
    changedPaths: (compareTo: string | null) => facts.changedPaths(compareTo),
    allPaths: () => facts.paths(),
    jobs: (portion: unknown[]) => void jobs.push(...portion),
  }
}

/** The same reads, which spend a budget. */
function bounded({ source, facts }: CommitAccess, budget: Budget): CommitAccess {
  const spend = <List extends readonly string[] | null>(paths: List): List => {
    budget.spend('paths', paths?.length ?? 0)
    return paths
  }
  const boundedSource = (own: ConfigSource): ConfigSource => ({
    ...own,
    paths: async () => spend(await own.paths()),
    async other(project, ref) {
      const found = await own.other(project, ref)
      return typeof found === 'string' ? found : boundedSource(found)
    },
  })
  return {
    source: boundedSource(source),
    facts: {
      changedPaths: async (compareTo) => spend(await facts.changedPaths(compareTo)),
      paths: async () => spend(await facts.paths()),
    },
  }
}

type Task = Parameters<Works[keyof Works]>[0]

/** Does a work in a thread. @returns null when it takes too much time or memory */
async function inThread<Result extends object>(
  platform: Platform,
  name: keyof Works,
  task: Task,
  access: CommitAccess,
): Promise<Result | null> {
  const { clock, log } = platform
  const { source } = access
  const jobs: unknown[] = []
  const given = { name, task, root: { handle: 0, project: source.project, sha: source.sha } }
  try {
    const result = await threads(platform)(() =>
      runInThread<Result>(program, given, answersFor(access, jobs), { clock, longestMs, mostMemoryMib }),
    )
    return 'jobs' in result ? { ...result, jobs } : result
  } catch (error) {
    if (!(error instanceof ThreadEnded)) throw error
    log.warn({ project: source.project, err: error }, 'a CI configuration takes too much work')
    return null
  }
}

/** Does a work here while it takes little time, and otherwise in a thread: it must not hold up other requests. */
async function evaluate<Result extends object>(
  here: (access: CommitAccess, budget: Budget) => Promise<Result>,
  there: () => Promise<Result | null>,
  access: CommitAccess,
): Promise<Result | null> {
  const budget = new Budget()
  try {
    return await here(bounded(access, budget), budget)
  } catch (error) {
    if (!(error instanceof BudgetExceeded)) throw error
    return there()
  }
}

/** A work with the limits that are in force. */
async function limitedBy<Given extends object>({ settings }: Platform, given: Given) {
  return { ...given, limits: configLimits(await settings.current()) }
}

/** Chooses the jobs of a pipeline (contract 04, x.pipelines_create). */
export async function planText(
  platform: Platform,
  given: Omit<Parameters<typeof plan>[0], 'limits'>,
  access: CommitAccess,
): Promise<PipelinePlan> {
  const task = await limitedBy(platform, given)
  const there = () => inThread<PipelinePlan>(platform, 'plan', task, access)
  const found = await evaluate((own, budget) => plan(task, own, budget), there, access)
  return found ?? { kind: 'invalid', errors: [tooBig] }
}

/** Looks for problems in a configuration (contract 04, Lint result). */
export async function lintConfig(
  platform: Platform,
  given: Omit<LintTask, 'limits'>,
  access: CommitAccess,
): Promise<Linted> {
  const task = await limitedBy(platform, given)
  const there = () => inThread<Linted>(platform, 'lint', task, access)
  const found = await evaluate((own, budget) => lint(task, own, budget), there, access)
  return found ?? { errors: [tooBig], warnings: [], includes: [], mergedYaml: null, jobs: [] }
}
