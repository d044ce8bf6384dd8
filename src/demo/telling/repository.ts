import type { Commit, Project } from '../story.ts'
import type { Place } from './place.ts'
import type { Telling } from './telling.ts'
import { applyChanges } from './texts.ts'

type Made = Omit<Commit, 'at'>

/** Makes a commit on a branch, which begins at `main` where it is not there. @returns its id */
async function makeCommit(
  { ask }: Telling,
  { base, branches }: Place,
  branch: string,
  { by, message, files }: Made,
): Promise<string> {
  const known = branches.get(branch)
  const texts = known ?? new Map(branches.get('main'))
  branches.set(branch, texts)
  const actions = applyChanges(texts, files)
  const start = known ? {} : { start_branch: 'main' }
  const made = { branch, commit_message: message, actions, stats: false, ...start }
  return (await ask(by, 'POST', `${base()}/repository/commits`, made)).id
}

/** Makes a commit on a branch, and runs its pipeline. */
export async function commit(telling: Telling, place: Place, branch: string, made: Made): Promise<void> {
  const sha = await makeCommit(telling, place, branch, made)
  await runPipelines(telling, place.base(), { sha, fails: made.fails, plays: made.plays })
}

/** Has the runner take the jobs that wait, and then those that somebody plays. */
export async function runPipelines(
  telling: Telling,
  base: string,
  { sha, fails, plays }: { sha: string } & Pick<Commit, 'fails' | 'plays'>,
): Promise<void> {
  await telling.settle()
  await telling.runner.work(fails)
  await telling.settle()
  if (!plays) return
  const [pipeline] = await telling.ask('root', 'GET', `${base}/pipelines?sha=${sha}`)
  const jobs: { id: number; name: string }[] = await telling.ask('root', 'GET', `${base}/pipelines/${pipeline.id}/jobs`)
  for (const { id } of jobs.filter(({ name }) => plays.jobs.includes(name))) {
    await telling.ask(plays.by, 'POST', `${base}/jobs/${id}/play`)
    await telling.settle()
    await telling.runner.work()
  }
  await telling.settle()
}

/** Plans the commits of `main` and of branches without a merge request, and the releases. */
export function planRepository(telling: Telling, place: Place, project: Project): void {
  const { commits, branches = [], releases = [], name } = project
  for (const one of commits) {
    telling.plan(one.at, `${name}: commits`, () => commit(telling, place, 'main', one))
  }
  for (const branch of branches) {
    for (const one of branch.commits) {
      telling.plan(one.at, `${name}: commits`, () => commit(telling, place, branch.name, one))
    }
  }
  for (const { by, at, tag, name: title, text, milestones, plays } of releases) {
    telling.plan(at, `${name}: releases`, async () => {
      const release = { tag_name: tag, ref: 'main', tag_message: title, name: title, description: text, milestones }
      const { commit: tagged } = await telling.ask(by, 'POST', `${place.base()}/releases`, release)
      await runPipelines(telling, place.base(), { sha: tagged.id, plays })
    })
  }
  const { current } = project
  if (!current) return
  telling.planLast(`${name}: commits`, async () => {
    await makeCommit(telling, place, current.branch, current)
    await telling.settle()
    await telling.runner.begin()
  })
}
