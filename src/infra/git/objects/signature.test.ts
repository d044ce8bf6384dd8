import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Oid } from '../model/names.ts'
import type { Repository } from '../repository.ts'
import { ada, admitting, commitFiles, git, main, openTestGit, type TestGit } from '../testing.ts'
import { splitSignature } from './signature.ts'

let own: TestGit
let repository: Repository
let tree: Oid
beforeAll(async () => {
  own = await openTestGit()
  repository = await own.newRepository()
  const commit = await commitFiles(repository, { f: '1' })
  tree = (await repository.commits([commit])).get(commit)!.treeOid
})
afterAll(() => own[Symbol.asyncDispose]())

const SIGNATURE = '-----BEGIN PGP SIGNATURE-----\n\niQEz\n=abcd\n-----END PGP SIGNATURE-----\n'
const people = 'author A <a@x> 1 +0000\ncommitter A <a@x> 1 +0000\n'
const header = (name: string, value: string) => `${name} ${value.trimEnd().replaceAll('\n', '\n ')}\n`

async function write(content: string | Buffer, where = repository): Promise<Oid> {
  const args = ['-C', where.directory, 'hash-object', '-t', 'commit', '-w', '--stdin', '--literally']
  return (await git(args, { input: content })) as Oid
}

async function signatureOf(content: string | Buffer) {
  const found = await repository.commitSignature(await write(content))
  return found === null ? null : { ...found, payload: found.payload.toString('utf8') }
}

describe('a signature', () => {
  test('is separated from the header, and the rest is the payload', async () => {
    const [start, end] = [`tree ${tree}\n${people}`, '\nTitle\n\ngpgsig is mentioned\ngpgsig x\n no newline']
    const content = start + header('gpgsig', SIGNATURE) + end
    expect(await signatureOf(content)).toEqual({ signature: SIGNATURE, payload: start + end })
    const withEncoding = start + header('gpgsig', SIGNATURE) + header('mergetag', 'object x\ntype y') + end
    expect(await signatureOf(withEncoding)).toEqual({
      signature: SIGNATURE,
      payload: start + header('mergetag', 'object x\ntype y') + end,
    })
  })

  test('may be made with SSH', async () => {
    const ssh = '-----BEGIN SSH SIGNATURE-----\nU1NI\n-----END SSH SIGNATURE-----\n'
    const start = `tree ${tree}\n${people}`
    expect(await signatureOf(`${start}${header('gpgsig', ssh)}\nm`)).toEqual({ signature: ssh, payload: `${start}\nm` })
  })

  test('for the other object format is neither the signature nor in the payload', async () => {
    const start = `tree ${tree}\n${people}`
    const other = header('gpgsig-sha256', SIGNATURE.replace('iQEz', 'other'))
    expect(await signatureOf(`${start}${other}${header('gpgsig', SIGNATURE)}\nm`)).toEqual({
      signature: SIGNATURE,
      payload: `${start}\nm`,
    })
    expect(await signatureOf(`${start}${other}\nm`)).toBeNull()
    const both = Buffer.from(`${start}${header('gpgsig', SIGNATURE)}${other}\nm`)
    expect(splitSignature(both, 'gpgsig-sha256')?.signature).toContain('other')
  })

  test('has a payload of raw bytes', async () => {
    const start = Buffer.from(`tree ${tree}\n${people}`)
    const end = Buffer.concat([Buffer.from('\nm'), Buffer.from([0xff, 0xfe, 0x0a])])
    const oid = await write(Buffer.concat([start, Buffer.from(header('gpgsig', SIGNATURE)), end]))
    expect((await repository.commitSignature(oid))?.payload).toEqual(Buffer.concat([start, end]))
  })

  test('is accepted by git verify-commit', async () => {
    const other = await own.newRepository()
    await other.remove()
    await other.init({ defaultBranch: main, objectFormat: 'sha256' })
    const people = { author: ada, committer: ada }
    const first = await admitting(other).createCommit({ parent: null, ...people, message: 'm', changes: [] })
    const raw = await git(['-C', other.directory, 'cat-file', 'commit', first])
    const oid = await write(raw.replace('\n\n', `\n${header('gpgsig-sha256', SIGNATURE)}\n`), other)
    const found = await other.commitSignature(oid)
    expect(found?.signature).toBe(SIGNATURE)
    expect(found?.payload.toString()).toBe(raw)
  })
})

describe('no signature is found', () => {
  test.each(['', '\n', 'gpgsig', `gpgsig-x ${SIGNATURE}`, ' continuation of nothing', 'tree x\n\ngpgsig x\n'])(
    'in %j',
    (content) => {
      expect(splitSignature(Buffer.from(content), 'gpgsig')).toBeNull()
    },
  )

  test('in an unsigned commit, another object, a missing object', async () => {
    expect(await signatureOf(`tree ${tree}\n${people}\nm`)).toBeNull()
    expect(await repository.commitSignature(tree)).toBeNull()
    expect(await repository.commitSignature('a'.repeat(40) as Oid)).toBeNull()
  })

  test('a commit that is too large is refused', async () => {
    const oid = await write(`tree ${tree}\n${people}\n${'x'.repeat(17 * 1024 * 1024)}`)
    await expect(repository.commitSignature(oid)).rejects.toMatchObject({ code: 'too_large' })
  })
})
