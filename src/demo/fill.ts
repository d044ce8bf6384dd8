import { type Api, apiOf, type Body, type Method } from './clients/client.ts'
import { runnerOf } from './clients/runner.ts'
import { randomOf } from './random.ts'
import { planActs } from './steps/acts.ts'
import type { DemoClock } from './steps/clock.ts'
import { pathOf, planGroup } from './steps/groups.ts'
import { minuteMs, momentsBefore } from './steps/moments.ts'
import { makePeople, setStatuses } from './steps/people.ts'
import { pathOfProject, planProject } from './steps/project.ts'
import { planOf, type StepContext } from './steps/step-context.ts'
import type { World } from './world-types.ts'

/** With it all people of the demo sign in. */
export const demoPassword = 'harbour-lights-7'

/** How far the filling is. */
export type DemoProgress = {
  /** Called once, with the number of steps. */
  begin?(steps: number): void
  /** A step has ended. @param next what comes now */
  advance?(next: string): void
}

export type Filling = {
  url: string
  rootToken: string
  /** The clock of the server. */
  clock: DemoClock
  /** The present. */
  start: Date
  /** Waits until the server has done what follows from the requests so far. */
  settle(): Promise<void>
  /** A whole number; the same one leads to the same world. */
  seed: number
  progress?: DemoProgress
}

/** How long before the present the last steps run. */
const endsBeforeMs = 30 * minuteMs
/** How long after everything else what is going on begins. */
const lastMs = 15 * minuteMs
/** The time between two requests of one step. */
const requestMs = 2000

async function registerRunner(api: Api): Promise<string> {
  const runner = { runner_type: 'instance_type', description: 'harbour-runner-1', tag_list: ['docker', 'linux'] }
  const { token } = await api.ask('root', 'POST', '/user/runners', { ...runner, run_untagged: true })
  return token
}

/** The names of those who may read all of a project: all people, or the members of its groups. Guests see no merge requests. */
function audienceOf({ people, groups, projects }: World, path: string): string[] {
  const project = projects.find((one) => pathOfProject(one) === path)
  if (project?.visibility !== 'private') return people.map(({ username }) => username)
  const above = groups.filter((group) => `${path}/`.startsWith(`${pathOf(group)}/`))
  const names = above.flatMap(({ by, members }) => [by, ...Object.keys(members)])
  const members = Object.entries(project.members ?? {}).filter(([, role]) => role !== 'guest')
  return [...new Set([...names, ...members.map(([username]) => username)])]
}

/** Fills a server that has no user but root with a world, by its API. @returns how many requests that took */
export async function makeWorld(world: World, filling: Filling): Promise<number> {
  const { url, rootToken, clock, start, seed, settle, progress } = filling
  const api = apiOf(url, rootToken)
  const moments = momentsBefore(start)
  const plan = planOf()
  const random = randomOf(seed)
  const jobPlans = new Map(world.projects.map((project) => [pathOfProject(project), project.jobs ?? {}]))
  const jobPlansOf = (path: string) => jobPlans.get(path) ?? {}
  const context: StepContext = {
    ...{ api, random, moments, clock, endMs: start.getTime() - endsBeforeMs, ids: new Map(), discussions: new Map() },
    ...{ names: new Map(), tokens: new Map() },
    runner: runnerOf({ api, token: await registerRunner(api), random, jobPlans: jobPlansOf, clock, settle }),
    plan(at, what, run) {
      const atMs = typeof at === 'number' ? at : moments.ms(at) + random.between(0, 9) * 1000
      plan.add({ atMs: Math.min(atMs, context.endMs), what, run })
    },
    planLast: (what, run) => plan.add({ atMs: context.endMs + lastMs, what, run }),
    async ask(by: string, method: Method, path: string, body?: object): Promise<Body> {
      clock.pass(requestMs)
      return api.ask(by, method, path, body)
    },
    settle,
  }
  await makePeople(context, world.people, demoPassword)
  for (const group of world.groups) planGroup(context, group)
  for (const project of world.projects) planProject(context, project, audienceOf(world, pathOfProject(project)))
  planActs(context, world.acts, 'instance', () => '')
  context.plan(context.endMs, 'people', () => setStatuses(context, world.people))
  await runSteps(context, plan.inOrder(), progress).finally(api.close)
  return api.sent()
}

async function runSteps(
  context: StepContext,
  steps: ReturnType<ReturnType<typeof planOf>['inOrder']>,
  progress?: DemoProgress,
) {
  progress?.begin?.(steps.length)
  for (const [index, { atMs, what, run }] of steps.entries()) {
    context.clock.moveTo(atMs)
    await run().catch((error: Error) => {
      throw new Error(`the demo could not be made (${what}): ${error.message}`, { cause: error })
    })
    await context.settle()
    progress?.advance?.(steps[index + 1]?.what ?? what)
  }
}
