import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { git, makeHistory, type SshKeyPair, ssh, sshGit, sshUrl, temporaryDirectory } from '../../../testing/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import {
  folder,
  member,
  notFound,
  owner,
  ownKey,
  push,
  reads,
  refusedWith,
  repositoryOf,
  serveForTests,
  server,
} from './testing.ts'

serveForTests()

describe('an archive', () => {
  const archiveOf = (key: SshKeyPair, path: string, ...parameters: string[]) =>
    sshGit(server, key, folder.path, 'archive', `--remote=${sshUrl(server, path)}`, ...parameters)

  async function withFiles(path: string): Promise<ProjectRow> {
    const project = await server.make.project(path, owner)
    await using work = await temporaryDirectory()
    await makeHistory(work.path, ['one'])
    await mkdir(`${work.path}/docs`)
    await writeFile(`${work.path}/docs/a.txt`, 'the content of a\n')
    await writeFile(`${work.path}/b.bin`, randomBytes(3 * 1024 * 1024))
    await git(work.path, 'add', '.')
    await git(work.path, 'commit', '--message', 'two')
    await git(work.path, 'tag', 'v1')
    expect(await push(ownKey, work.path, `owner/${path}`, 'main', 'v1')).toMatchObject({ code: 0 })
    return project
  }

  test('of a branch or a tag, of some files, in every format', async () => {
    await withFiles('packed')
    const list = async (...parameters: string[]) => {
      const output = `${folder.path}/${randomBytes(4).toString('hex')}.tar`
      const { code, stderr } = await archiveOf(ownKey, 'owner/packed', '--format=tar', '-o', output, ...parameters)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      const listed = spawn('tar', ['-tf', output])
      return Buffer.concat(await listed.stdout.toArray())
        .toString()
        .trim()
        .split('\n')
        .sort()
    }
    expect(await list('main')).toEqual(['b.bin', 'docs/', 'docs/a.txt'])
    expect(await list('v1', 'docs')).toEqual(['docs/', 'docs/a.txt'])
    expect(await list('refs/heads/main:docs')).toEqual(['a.txt'])
    expect(await list('--prefix=top/', 'HEAD', 'docs')).toEqual(['top/', 'top/docs/', 'top/docs/a.txt'])
    for (const format of ['tar.gz', 'tgz', 'zip']) {
      const output = `${folder.path}/packed.${format}`
      expect((await archiveOf(ownKey, 'owner/packed', `--format=${format}`, '-o', output, 'main')).code).toBe(0)
    }
    expect((await archiveOf(ownKey, 'owner/packed', '--list')).stdout).toContain('tar.gz')
  })

  test('requires the right to read', async () => {
    const project = await withFiles('packed-private')
    const guest = await member(project, 'packed-guest', 10)
    expect(await archiveOf(guest, 'owner/packed-private', 'main')).toMatchObject(
      refusedWith('You are not allowed to download code from this project.'),
    )
    expect(await archiveOf(ownKey, 'owner/none', 'main')).toMatchObject(refusedWith(notFound))
  })

  test('is created from visible refs only', async () => {
    const project = await withFiles('packed-refs')
    const { repository } = await repositoryOf(project)
    const [head] = (await reads(ownKey, 'owner/packed-refs')).stdout.split('\t')
    await git(repository.directory, 'update-ref', 'refs/keep-around/x', head ?? '')
    for (const revision of [head ?? '', 'refs/keep-around/x', 'main~0', 'nothing', 'HEAD@{0}', '../x']) {
      expect(await archiveOf(ownKey, 'owner/packed-refs', revision)).toMatchObject({
        code: 128,
        stderr: expect.stringContaining('NACK no such ref'),
      })
    }
  })

  const request = (...given: string[]) =>
    `${given
      .map((each) => `argument ${each}\n`)
      .map((each) => `${(each.length + 4).toString(16).padStart(4, '0')}${each}`)
      .join('')}0000`

  test.each([
    ['--add-file=/etc/passwd', 'main'],
    ['--add-virtual-file=a:b', 'main'],
    ['--output=/tmp/x', 'main'],
    ['-o/tmp/x', 'main'],
    ['--remote=/tmp', 'main'],
    ['--exec=id', 'main'],
    ['--worktree-attributes', 'main'],
    ['--format=tar.xz', 'main'],
    ['main', '--output=/tmp/x'],
    ['--', 'main'],
  ])('refuses the option %s %s', async (...given) => {
    const answer = await ssh(server, ownKey, ["git-upload-archive 'owner/packed'"], { input: request(...given) })
    expect(answer.code).toBe(1)
    expect(answer.stdout).toMatch(/^[0-9a-f]{4}NACK option not supported: /)
  })

  test.each([
    '',
    '0000',
    'nonsense',
    '0003',
    'ffff',
    `${request('main').slice(0, -4)}`,
    'argument main',
    '0008abcd0000',
  ])('refuses the request %j', async (input) => {
    const answer = await ssh(server, ownKey, ["git-upload-archive 'owner/packed'"], { input })
    expect(answer.code).toBe(1)
  })

  test('refuses an endless request', async () => {
    const answer = await ssh(server, ownKey, ["git-upload-archive 'owner/packed'"], {
      input: 'fff0'.padEnd(70_000, 'a'),
    })
    expect(answer.code).toBe(1)
  })
})
