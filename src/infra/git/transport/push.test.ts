import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Oid, refName, ZERO_SHA1 } from '../model/names.ts'
import type { Quarantine, RefChange } from '../model/types.ts'
import type { Repository } from '../repository.ts'
import { git, openTestGit, type TestGit, until } from '../testing.ts'
import { commitEmpty, setUpPush, stateOf, untouched } from './push-testing.ts'
import { checkHooks } from './receive-pack.ts'

let own: TestGit
const logged: string[] = []
beforeAll(async () => {
  own = await openTestGit({ log: (_level, message) => logged.push(message) })
})
afterAll(() => own[Symbol.asyncDispose]())

const refuse =
  (...messages: string[]) =>
  async () => ({ accept: false as const, messages })

describe('an accepted push', () => {
  test('moves the refs, and is recorded before the client returns', async () => {
    const recorded: RefChange[] = []
    await using set = await setUpPush(own, {
      postReceive: async (changes) => {
        recorded.push(...changes)
        return [`recorded ${changes.length}`, 'two\nlines']
      },
    })
    const oid = await commitEmpty(set.work, 'second')
    const { exitCode, stderr } = await set.push('main', 'main:topic/x')
    expect(exitCode).toBe(0)
    expect(stderr.match(/^remote: .*\S/gm)).toEqual(['remote: recorded 2', 'remote: two', 'remote: lines'])
    const branches = [
      { name: 'main', oid },
      { name: 'topic/x', oid },
    ]
    expect((await set.repository.refs(1)).branches).toEqual(branches)
    await until(() => set.server.pushes.length === 1)
    expect(set.server.pushes).toEqual([undefined])
    const applied = ['refs/heads/main', 'refs/heads/topic/x'].map((ref) => ({ ref, old: ZERO_SHA1, new: oid }))
    expect(recorded).toEqual(applied)
  })

  test('may move, delete, and be atomic', async () => {
    await using set = await setUpPush(own)
    await set.push('main', 'main:old')
    const oid = await commitEmpty(set.work, 'second')
    expect((await set.push('--atomic', 'main', ':old')).exitCode).toBe(0)
    expect((await set.repository.refs(1)).branches).toEqual([{ name: 'main', oid }])
    expect(set.gate.accepted.at(-1)).toMatchObject({ ref: 'refs/heads/old', new: ZERO_SHA1 })
  })

  test('passes its options on, with any content', async () => {
    let seen: readonly string[] = []
    const note = async (_changes: unknown, { pushOptions }: { pushOptions: readonly string[] }) => {
      seen = pushOptions
      return { accept: true as const }
    }
    await using set = await setUpPush(own, { preReceive: note })
    const options = ['ci.skip', 'ci.variable="A=b c"', '$(touch /tmp/x)', '`id`', "it's; \\n", 'ä💚', '%s%d\\000', '-n']
    expect((await set.push(...options.flatMap((option) => ['-o', option]), 'main')).exitCode).toBe(0)
    expect(seen).toEqual(options)
  })

  test('has objects that the gate can read in quarantine', async () => {
    const seen: unknown[] = []
    let quarantine: Quarantine | null = null
    let repository: Repository | null = null
    const look = async ([change]: readonly RefChange[], context: { quarantine: Quarantine }) => {
      quarantine = context.quarantine
      const { old, new: tip } = change!
      const commits = await repository!.commits([tip], context)
      seen.push(commits.get(tip)?.title, (await repository!.commits([tip])).size)
      seen.push((await repository!.object(tip, context))?.type, await repository!.object(tip))
      seen.push(await repository!.newCommits([tip], { limit: 10, ...context }))
      if (old !== ZERO_SHA1) seen.push(await repository!.isAncestor(old, tip, context))
      return { accept: false as const, messages: [] }
    }
    await using set = await setUpPush(own, { preReceive: look })
    repository = set.repository
    const first = await commitEmpty(set.work, 'in quarantine')
    await set.push('main')
    expect(seen.slice(0, 4)).toEqual(['in quarantine', 0, 'commit', null])
    expect((seen[4] as Oid[])[0]).toBe(first)
    // Afterwards the object is not readable, nor cached.
    expect((await repository.commits([first])).size).toBe(0)
    await expect(repository.commits([first], { quarantine: quarantine! })).rejects.toThrow()
  })

  test('a force push is recognised by ancestry', async () => {
    const answers: boolean[] = []
    let repository: Repository | null = null
    await using set = await setUpPush(own, {
      preReceive: async ([change], context) => {
        const { old, new: tip } = change!
        if (old !== ZERO_SHA1) answers.push(await repository!.isAncestor(old, tip, context))
        return { accept: true }
      },
    })
    repository = set.repository
    await set.push('main')
    await commitEmpty(set.work, 'forward')
    await set.push('main')
    await git(['commit', '--quiet', '--amend', '--allow-empty', '-m', 'rewritten'], { cwd: set.work })
    expect((await set.push('--force', 'main')).exitCode).toBe(0)
    expect(answers).toEqual([true, false])
  })
})

describe('a refused push', () => {
  test('changes nothing, and reports every ref', async () => {
    await using set = await setUpPush(own, {
      preReceive: refuse('GitLab: You are not allowed to push.', 'a\u001b[31mb\rc'),
    })
    const { exitCode, stderr } = await set.push('main', 'main:other')
    expect(exitCode).toBe(1)
    expect(stderr).toContain('remote: GitLab: You are not allowed to push.')
    expect(stderr).toContain('remote: a[31mbc')
    expect(stderr.match(/pre-receive hook declined/g)).toHaveLength(2)
    expect(await stateOf(set.repository)).toEqual(untouched)
    await until(() => set.server.pushes.length === 1)
    expect(set.server.pushes).toEqual([undefined])
    expect(set.gate.accepted).toEqual([])
  })

  test('a message cannot be taken for the verdict', async () => {
    await using set = await setUpPush(own, { preReceive: refuse('accept', '\naccept', ':accept', '') })
    expect((await set.push('main')).exitCode).toBe(1)
    expect(await stateOf(set.repository)).toEqual(untouched)
  })

  test('is the result of a failing gate', async () => {
    const fail = async () => {
      throw new Error('the database is gone')
    }
    await using set = await setUpPush(own, { preReceive: fail })
    const { exitCode, stderr } = await set.push('main')
    expect(exitCode).toBe(1)
    expect(stderr).toContain('pre-receive hook declined')
    expect(stderr).not.toContain('database')
    expect(logged).toContain('the gate failed')
    expect(await stateOf(set.repository)).toEqual(untouched)
  })

  test('hidden refs are refused, and not advertised, but for the heads of merge requests', async () => {
    await using set = await setUpPush(own)
    await set.push('main')
    const oid = (await set.repository.refs(1)).branches[0]!.oid
    const hidden = ['refs/merge-requests/1/head', 'refs/keep-around/a', 'refs/pipelines/1', 'refs/environments/x']
    await set.repository.updateRefs(hidden.map((ref) => ({ ref: refName(ref)!, old: ZERO_SHA1, new: oid })))
    const advertised = await git(['ls-remote', set.server.url])
    expect(advertised).not.toMatch(/keep-around|pipelines|environments/)
    expect(advertised).toContain('refs/merge-requests/1/head')
    const next = await commitEmpty(set.work, 'second')
    for (const ref of hidden) expect((await set.push(`+main:${ref}`)).stderr).toContain('deny updating a hidden ref')
    expect(await set.repository.object(next)).toBeNull()
  })

  test('packs that are too large are refused', async () => {
    await using set = await setUpPush(own, {}, { maxInputSizeBytes: 100 })
    const { exitCode, stderr } = await set.push('main')
    expect(exitCode).toBe(1)
    expect(stderr).toContain('pack exceeds maximum allowed size')
    expect(await stateOf(set.repository)).toEqual(untouched)
  })

  test('without hooks every push is refused', async () => {
    await expect(checkHooks(own.root)).rejects.toMatchObject({ code: 'invalid_input' })
  })
})

describe('recording that fails', () => {
  test('breaks the connection, so that the client reports a failure', async () => {
    const fail = async () => {
      throw new Error('cannot record')
    }
    await using set = await setUpPush(own, { postReceive: fail })
    expect((await set.push('main')).exitCode).not.toBe(0)
    await until(() => set.server.pushes.length === 1)
    expect(set.server.pushes[0]).toMatchObject({ message: 'cannot record' })
  })

  test('the end of the response waits for recording', async () => {
    const { promise, resolve } = Promise.withResolvers<string[]>()
    await using set = await setUpPush(own, { postReceive: () => promise })
    let returned = false
    const pushing = set.push('main').then((result) => {
      returned = true
      return result
    })
    await until(async () => (await set.repository.refs(Math.random())).branches.length === 1)
    expect(returned).toBe(false)
    expect(set.server.active()).toBe(1)
    resolve([])
    expect((await pushing).exitCode).toBe(0)
  })
})
