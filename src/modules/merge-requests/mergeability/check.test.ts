import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseOid } from '../../../infra/git/index.ts'
import { openRepository } from '../../../platform/repositories/index.ts'
import { git, startTestServer, type TestServer } from '../../../testing/index.ts'
import { makePlace, type Place } from '../testing.ts'
import { gitFacts } from './check.ts'

let server: TestServer
let place: Place
beforeAll(async () => {
  server = await startTestServer()
  place = await makePlace(server)
})
afterAll(async () => {
  await place.tree[Symbol.asyncDispose]()
  await server.stop()
})

/** Numbers that look random and are the same in every run. */
function* numbers(seed: number): Generator<number, never> {
  let state = seed
  for (;;) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    yield state / 2_147_483_648
  }
}

const rounds = 20
const names = ['one', 'two', 'sub/three']

test('git says the same of every pair of random branches', async () => {
  const { tree, owner, project } = place
  const random = numbers(19)
  const below = (limit: number) => Math.floor(random.next().value * limit)
  const seen = { conflicts: 0, clean: 0, contained: 0 }
  /** Commits a change of a line, a removal, a move, or a merge of another branch. */
  async function step(branches: readonly string[], number: number) {
    const name = names[below(names.length)] as string
    const kind = below(8)
    if (kind === 0) await git(tree.folder, 'rm', '--quiet', '--ignore-unmatch', name)
    else if (kind === 1) await git(tree.folder, 'mv', name, `${name}-moved`)
    else if (kind === 2) {
      const other = branches[below(branches.length)] as string
      const { code } = await git(tree.folder, 'merge', '--quiet', '-m', 'm', other)
      if (code !== 0) await git(tree.folder, 'merge', '--abort')
      return
    }
    const lines = Array.from({ length: 6 }, (_, line) => (line === below(6) ? `changed ${number}` : `line ${line}`))
    await tree.commit(`step ${number}`, kind < 2 ? {} : { [name]: `${lines.join('\n')}\n` })
  }
  await tree.run('checkout', '--quiet', '--orphan', 'start')
  await tree.commit(
    'start',
    Object.fromEntries(names.map((name) => [name, 'line 0\nline 1\nline 2\nline 3\nline 4\nline 5\n'])),
  )
  for (let round = 0; round < rounds; round += 1) {
    const branches = [`left-${round}`, `right-${round}`]
    for (const branch of branches) await tree.run('checkout', '--quiet', '-B', branch, 'start')
    for (let number = 0; number < 6; number += 1) {
      await tree.run('checkout', '--quiet', branches[below(2)] as string)
      await step(branches, number)
    }
  }
  await tree.push(owner, '--all')
  for (let round = 0; round < rounds; round += 1) {
    const [target, source] = [`left-${round}`, `right-${round}`]
    const [ours, theirs] = await Promise.all([tree.run('rev-parse', target), tree.run('rev-parse', source)])
    const { repository } = await openRepository(server.app.platform, project)
    const facts = await gitFacts(repository, parseOid(theirs) as never, parseOid(ours) as never)
    const countOf = async (range: string) => Number(await tree.run('rev-list', '--count', range))
    await tree.run('checkout', '--quiet', target)
    const { code } = await git(tree.folder, 'merge', '--quiet', '--no-commit', '--no-ff', source)
    await git(tree.folder, 'merge', '--abort')
    await git(tree.folder, 'reset', '--quiet', '--hard')
    expect([round, facts]).toEqual([
      round,
      {
        hasConflicts: code !== 0,
        isAhead: (await countOf(`${ours}..${theirs}`)) > 0,
        isBehind: (await countOf(`${theirs}..${ours}`)) > 0,
      },
    ])
    if (facts.hasConflicts) seen.conflicts += 1
    else if (facts.isAhead && facts.isBehind) seen.clean += 1
    else seen.contained += 1
  }
  expect(Math.min(seen.conflicts, seen.clean, seen.contained)).toBeGreaterThan(0)
}, 120_000)
