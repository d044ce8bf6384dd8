import type { Commit, Project } from '../../world-types.ts'
import type { Place } from '../place.ts'
import type { StepContext } from '../step-context.ts'
import { applyChanges } from './texts.ts'

type Made = Omit<Commit, 'at'>

/** Makes a commit on a branch, which begins at `main` where it is not there. @returns its id */
async function makeCommit(
  { ask }: StepContext,
  place: Place,
  branch: string,
  { by, message, files }: Made,
): Promise<string> {
  const { base, branches } = place
  const known = branches.get(branch)
  const texts = known ?? new Map(branches.get('main'))
  branches.set(branch, texts)
  const actions = applyChanges(texts, files)
  const start = known ? {} : { start_branch: 'main' }
  const made = { branch, commit_message: message, actions, stats: false, ...start }
  const { id } = await ask(by, 'POST', `${base()}/repository/commits`, made)
  if (branch === 'main') place.head = id
  return id
}

/** Makes a commit on a branch, and runs its pipeline. */
export async function commit(context: StepContext, place: Place, branch: string, made: Made): Promise<void> {
  const sha = await makeCommit(context, place, branch, made)
  await runPipelines(context, place, { sha, fails: made.fails, plays: made.plays })
}

/** Has the runner take the jobs that wait, and then the manual ones that are played. */
export async function runPipelines(
  context: StepContext,
  { base, hasPipelines }: Pick<Place, 'base' | 'hasPipelines'>,
  { sha, fails, plays }: { sha: string | undefined } & Pick<Commit, 'fails' | 'plays'>,
): Promise<void> {
  if (!hasPipelines) return
  await context.settle()
  await context.runner.work(fails)
  await context.settle()
  if (!plays) return
  const [pipeline] = await context.ask('root', 'GET', `${base()}/pipelines?sha=${sha}`)
  const jobs: { id: number; name: string }[] = await context.ask(
    'root',
    'GET',
    `${base()}/pipelines/${pipeline.id}/jobs`,
  )
  for (const { id } of jobs.filter(({ name }) => plays.jobs.includes(name))) {
    await context.ask(plays.by, 'POST', `${base()}/jobs/${id}/play`)
    await context.settle()
    await context.runner.work()
  }
  await context.settle()
}

/** Plans the commits of `main` and of branches without a merge request, and the releases. */
export function planRepository(context: StepContext, place: Place, project: Project): void {
  const { commits, branches = [], releases = [], name } = project
  for (const one of commits) {
    context.plan(one.at, `${name}: commits`, () => commit(context, place, 'main', one))
  }
  for (const branch of branches) {
    for (const one of branch.commits) {
      context.plan(one.at, `${name}: commits`, () => commit(context, place, branch.name, one))
    }
  }
  for (const { by, at, tag, name: title, text, milestones, plays } of releases) {
    context.plan(at, `${name}: releases`, async () => {
      const release = { tag_name: tag, ref: 'main', tag_message: title, name: title, description: text, milestones }
      const { commit: tagged } = await context.ask(by, 'POST', `${place.base()}/releases`, release)
      await runPipelines(context, place, { sha: tagged.id, plays })
    })
  }
  const { current } = project
  if (!current) return
  context.planLast(`${name}: commits`, async () => {
    await makeCommit(context, place, current.branch, current)
    await context.settle()
    await context.runner.begin()
  })
}
