import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { clientOf } from '../../../src/testing/index.ts'
import { numbersFrom } from '../numbers.ts'
import type { CampaignOptions } from '../part.ts'
import { checkProblems, type Installation, startVictim } from '../process.ts'
import { filesOf, hastenRecurringJobs, idsOfTree, rowsLeft } from './remains.ts'
import { copyRepositories, makeTree, type Tree, viewOf } from './trees.ts'

type TreeOptions = CampaignOptions & {
  /** How many projects the deleted tree has. */
  projects: number
  /** How often the server is killed while it deletes, at most. */
  kills: number
  /** The longest that it lives meanwhile, in milliseconds. */
  life: number
}

type Campaign = TreeOptions & { installation: Installation; problems: string[]; random(): number }

/** The projects of the tree that must stay as it is. */
const neighbours = 5
/** How often a server waits for the end: jobs that failed for good are enqueued again within an hour or a day. */
const lastStarts = 10
const endMs = 120_000

/** Waits until nothing is left, or nothing has changed for a while. */
async function waitForEnd({ installation }: Campaign, ids: ReadonlyMap<string, number[]>): Promise<string[]> {
  let left = await rowsLeft(installation, ids)
  let sinceMs = performance.now()
  for (const end = sinceMs + endMs; left.length > 0 && performance.now() < end; await sleep(300)) {
    const now = await rowsLeft(installation, ids)
    if (now.join() !== left.join()) sinceMs = performance.now()
    left = now
    if (performance.now() - sinceMs > 15_000) break
  }
  return left
}

/** Deletes a tree by the API, and kills the server again and again meanwhile. @returns the number of kills */
async function deleteUnderFire(campaign: Campaign, tree: Tree, ids: ReadonlyMap<string, number[]>): Promise<number> {
  const { installation, random, kills, life, problems } = campaign
  let server = await startVictim(installation)
  const { status } = await clientOf(server.url, installation.token).delete(`/groups/${tree.id}`)
  if (status !== 202) problems.push(`the deletion was answered by ${status}`)
  for (let killed = 0; ; killed += 1) {
    await sleep(random() * life)
    await server.kill()
    if (killed + 1 >= kills || (await rowsLeft(installation, ids)).length === 0) return killed + 1
    // After four deaths a job has failed, and is enqueued again by a recurring one.
    if (killed % 3 === 2) await hastenRecurringJobs(installation)
    server = await startVictim(installation)
  }
}

/** Lets a server finish, and compares what is there with what was there before the tree. */
async function compare(
  campaign: Campaign,
  neighbour: { tree: Tree; view: string },
  ids: ReadonlyMap<string, number[]>,
  filesBefore: ReadonlySet<string>,
): Promise<void> {
  const { installation, problems } = campaign
  let rows: string[] = []
  let files: string[] = []
  for (let start = 0; start < lastStarts; start += 1) {
    await hastenRecurringJobs(installation)
    const server = await startVictim(installation)
    rows = await waitForEnd(campaign, ids)
    const end = performance.now() + 5_000
    do {
      files = [...filesOf(installation)].filter((path) => !filesBefore.has(path))
      await sleep(100)
    } while (files.length > 0 && performance.now() < end)
    const view = await viewOf(server.url, installation.token, neighbour.tree)
    await server.stop()
    if (view !== neighbour.view) {
      const before = neighbour.view.split('\n')
      const changed = view.split('\n').find((line, index) => line !== before[index])
      problems.push(`the neighbour has changed: ${changed?.slice(0, 300)}`)
    }
    if (rows.length === 0 && files.length === 0) break
  }
  const present = filesOf(installation)
  const gone = [...filesBefore].filter((path) => !present.has(path))
  problems.push(...rows, ...files.slice(0, 10).map((path) => `${path} is left`))
  problems.push(...gone.slice(0, 10).map((path) => `${path} of the neighbour is gone`))
}

/**
 * Deletes trees of groups, each with many projects, and kills the server at random meanwhile: in the end nothing is left of a tree, in
 * no table and on no disk, and nothing else is touched.
 * @returns what is wrong, one sentence each
 */
export async function runCampaign(options: TreeOptions): Promise<string[]> {
  const { folder, databaseUrl, seed, rounds, projects, tell } = options
  const settings = { FENNEC_REGISTRY_GC_GRACE: '0s' }
  const installation = { data: join(folder, 'data'), databaseUrl, token: 'a-token-for-the-campaign', settings }
  const { token } = installation
  const campaign: Campaign = { ...options, installation, problems: [], random: numbersFrom(seed) }
  const { problems } = campaign
  const first = await startVictim(installation)
  const root = clientOf(first.url, token)
  await root.put('/application/settings', {
    issues_create_limit: 0,
    notes_create_limit: 0,
    deletion_adjourned_period: 0,
  })
  const account = { email: 'member@example.com', username: 'member', name: 'Member', force_random_password: true }
  const { body: user } = await root.post('/users', account)
  const site = { url: first.url, token, userId: user.id }
  const neighbour = await makeTree(site, 'neighbour', neighbours)
  await first.stop()
  await copyRepositories(installation, neighbour)
  for (let round = 1; round <= rounds; round += 1) {
    const begun = performance.now()
    const server = await startVictim(installation)
    const view = await viewOf(server.url, token, neighbour)
    const filesBefore = filesOf(installation)
    const tree = await makeTree({ ...site, url: server.url }, `tree-${round}`, projects)
    await server.stop()
    await copyRepositories(installation, tree)
    const ids = await idsOfTree(installation, tree.id)
    if (ids.get('project_id')?.length !== projects)
      problems.push(`the tree has ${ids.get('project_id')?.length} projects`)
    const deleting = performance.now()
    const kills = await deleteUnderFire(campaign, tree, ids)
    await compare(campaign, { tree: neighbour, view }, ids, filesBefore)
    const seconds = [deleting - begun, performance.now() - deleting].map((ms) => Math.round(ms / 1000))
    tell(
      `${round} of ${rounds}: ${projects} projects made in ${seconds[0]} s, deleted in ${seconds[1]} s with ${kills} kills, ` +
        `${problems.length} problems`,
    )
  }
  problems.push(...(await checkProblems(installation)))
  return problems
}
