import { describe, expect, test } from 'vitest'
import { manualClock } from '../../../infra/clock/index.ts'
import { type Client, openWorkTree } from '../../../testing/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { create, filesAt, makeProject, place, serveWritingForTests } from '../writing-testing.ts'

const start = new Date('2026-04-05T06:07:08.900Z')

serveWritingForTests({ clock: manualClock({ start }) })

type Said = { title: string; body?: string; email?: string; tag?: string }

/** Pushes empty commits to `main`; returns their ids by title. */
async function history(project: ProjectRow, commits: readonly Said[]): Promise<Record<string, string>> {
  await using work = await openWorkTree(place.server, project)
  const ids: Record<string, string> = {}
  for (const { title, body = '', email = 'nobody@example.com', tag } of commits) {
    const text = body.replace(/<(\w+)>/g, (_, name) => ids[name] ?? name)
    const author = `--author=Somebody <${email}>`
    await work.commit(`${title}\n\n${text}\n`, {}, author)
    ids[title] = await work.run('rev-parse', 'HEAD')
    if (tag) await work.run('tag', tag)
  }
  expect(await work.push(place.owner, '--tags', 'main')).toMatchObject({ isAccepted: true })
  return ids
}

const url = (project: ProjectRow) => `/projects/${project.id}/repository/changelog`
const notes = async (project: ProjectRow, query: Record<string, string>, as: Client = place.reporter) =>
  (await as.get(`${url(project)}?${new URLSearchParams(query)}`)).body
const commit = (project: ProjectRow, body: Record<string, unknown>, as: Client = place.developer) =>
  as.post(url(project), body)
const problem = (reason: string) => ({ message: `Failed to generate the changelog: ${reason}` })

/** Puts a configuration on `main`. */
async function configure(project: ProjectRow, content: string, path = '.gitlab/changelog_config.yml') {
  const actions = [create(path, content)]
  const body = { branch: 'main', commit_message: 'configure', actions }
  expect((await place.owner.post(`/projects/${project.id}/repository/commits`, body)).status).toBe(201)
}

describe('x.repo_changelog_get', () => {
  test('lists the commits since the previous stable version by category, newest first', async () => {
    const project = await makeProject(place, 'rendered')
    const ids = await history(project, [
      { title: 'Old', body: 'Changelog: feature', tag: 'v1.0.0' },
      { title: 'One', body: 'Text.\n\nChangelog: feature' },
      { title: 'Unmentioned', body: 'Changelog is not here', tag: 'v1.1.0-rc1' },
      { title: 'Two', body: 'changelog: bug\nOther: x' },
      { title: 'Three', body: 'Changelog: feature' },
    ])
    const at = (title: string) => `${place.server.url}/owner/rendered/-/commit/${ids[title]}`
    const section = [
      '## 1.1.0 (2026-04-05)',
      '',
      '### feature (2 changes)',
      '',
      `- [Three](${at('Three')})`,
      `- [One](${at('One')})`,
      '',
      '### bug (1 change)',
      '',
      `- [Two](${at('Two')})`,
      '',
    ].join('\n')
    expect(await notes(project, { version: '1.1.0' })).toEqual({ notes: section })
    const dated = { version: 'v1.1.0', date: '2025-12-24', trailer: 'Other' }
    expect(await notes(project, dated)).toEqual({
      notes: `## v1.1.0 (2025-12-24)\n\n### x (1 change)\n\n- [Two](${at('Two')})\n`,
    })
    const range = { version: '1.1.0', from: ids.One ?? '', to: ids.Two ?? '' }
    expect((await notes(project, range)).notes).toContain('### bug (1 change)')
    expect((await notes(project, range)).notes).not.toContain('feature')
    expect((await notes(project, { version: '1.1.0', from: 'v1.0.0', to: 'v1.1.0-rc1' })).notes).toContain('[One]')
    expect(await notes(project, { version: '1.0.0', from: 'main' })).toEqual({
      notes: '## 1.0.0 (2026-04-05)\n\nNo changes.\n',
    })
  })

  test('omits reverted commits, unless the revert was reverted', async () => {
    const project = await makeProject(place, 'reverting')
    await history(project, [
      { title: 'Start', tag: 'v0.1.0' },
      { title: 'A', body: 'Changelog: x' },
      { title: 'B', body: 'Changelog: x' },
      { title: 'C', body: 'This reverts commit <A>.' },
      { title: 'D', body: 'This reverts commit <B>.\n\nChangelog: x' },
      { title: 'E', body: 'Changelog: x' },
      { title: 'F', body: 'This reverts commit <E>' },
      { title: 'G', body: 'This reverts commit <F>.' },
    ])
    const { notes: text } = await notes(project, { version: '0.2.0' })
    expect([...text.matchAll(/- \[(\w)\]/g)].map(([, title]) => title)).toEqual(['E', 'D'])
  })

  test('credits contributors, and members of the configured groups', async () => {
    const group = await place.server.make.group('crew', place.owner)
    const secret = await place.server.make.group('secret', await place.server.user('keeper'))
    const crewed = await place.server.user('crewed')
    const hidden = await place.server.user('hidden')
    const guest = await place.server.user('helper')
    const project = await makeProject(place, 'credits')
    for (const [namespace, person] of [
      [group, crewed],
      [group, place.reporter],
      [secret, hidden],
    ] as const)
      await place.server.make.member({ namespace }, person, 30)
    for (const person of [crewed, hidden]) await place.server.make.member({ project }, person, 20)
    const by = (name: string) => ({ title: name, body: 'Changelog: x', email: `${name}@Example.com` })
    await history(project, [
      { title: 'Start', tag: 'v0.1.0' },
      ...['crewed', 'hidden', guest.username, 'stranger'].map(by),
    ])
    const credits = async (as: Client = place.reporter) => {
      const { notes: text } = await notes(project, { version: '0.2.0' }, as)
      return [...text.matchAll(/- \[(\w+)\]\S+( by @\w+)?/g)].map(([, title, credit = '']) => title + credit)
    }
    expect(await credits()).toEqual(['stranger', 'helper by @helper', 'hidden', 'crewed'])
    await configure(project, 'include_groups: [crew, secret, none, CREW]\n')
    expect(await credits()).toEqual(['stranger', 'helper by @helper', 'hidden', 'crewed by @crewed'])
    expect(await credits(place.server.root)).toContain('hidden by @hidden')
  })

  test('follows the configuration of the project', async () => {
    const project = await makeProject(place, 'configured')
    const ids = await history(project, [
      { title: 'Start', tag: 'release-1.0.0' },
      { title: 'One', body: 'Changelog: feature\nIssue: #1\nconstructor: x' },
      { title: 'Two', body: 'Changelog: constructor' },
    ])
    expect(await notes(project, { version: '1.1.0' })).toEqual(
      problem('The commit start range is unspecified, and no previous tag could be found to use instead'),
    )
    await configure(
      project,
      `date_format: '%d %B %Y'
categories:
  feature: Features
tag_regex: '^release-(?P<major>\\d+)\\.(?P<minor>\\d+)\\.(?P<patch>\\d+)$'
template: |
  {% each categories %}
  {% each entries %}
  * {{ title }} {{ commit.reference }}{% if commit.trailers.Issue %} {{ commit.trailers.Issue }}{% end %}

  {% end %}
  ({{ title }})
  {% end %}
`,
    )
    const text = `## 1.1.0 (05 April 2026)\n\n* Two owner/configured@${ids.Two}\n(constructor)\n* One owner/configured@${ids.One} #1\n(Features)\n`
    expect(await notes(project, { version: '1.1.0' })).toEqual({ notes: text })
    await configure(project, "date_format: '%Y'\n", 'other.yml')
    const other = { version: '1.1.0', from: ids.Two ?? '', config_file: 'other.yml' }
    expect((await notes(project, other)).notes).toContain('## 1.1.0 (2026)')
    const before = { version: '1.1.0', from: ids.Two ?? '', config_file_ref: ids.Two ?? '' }
    expect((await notes(project, before)).notes).toContain('## 1.1.0 (2026-04-05)')
    await configure(project, 'template: "{% if %}"', 'broken.yml')
    expect(await notes(project, { version: '1.1.0', config_file: 'broken.yml' })).toEqual(
      problem('the template has a statement that makes no sense: if'),
    )
    await configure(project, `# ${'x'.repeat(40_000)}`, 'huge.yml')
    expect(await notes(project, { version: '1.1.0', config_file: 'huge.yml' })).toEqual(
      problem('huge.yml is larger than 32768 bytes'),
    )
  })

  test('answers 422 for invalid configurations and ranges', async () => {
    const project = await makeProject(place, 'refused', { a: 'a', 'dir/x': 'x' })
    const get = async (query: Record<string, string>) => {
      const { status, body } = await place.reporter.get(`${url(project)}?${new URLSearchParams(query)}`)
      return [status, body.error ?? body.message]
    }
    expect(await get({})).toEqual([400, 'version is missing'])
    for (const version of ['x', '1', '1.0', '1.0.0.0', '1.0.0\n', `1.0.0-${'a'.repeat(240)}`, '--help'])
      expect([version, await get({ version })]).toEqual([
        version,
        version.length > 240 ? [422, problem(noTag).message] : [400, 'version is invalid'],
      ])
    expect(await get({ version: '1.0.0', date: 'tomorrow' })).toEqual([400, 'date is invalid'])
    for (const revision of ['none', '-x', '--all', 'main..main', 'HEAD~1', 'f'.repeat(40)]) {
      const expected = [422, problem(`there is no revision '${revision}'`).message]
      expect(await get({ version: '1.0.0', from: revision })).toEqual(expected)
      expect(await get({ version: '1.0.0', from: 'main', to: revision })).toEqual(expected)
      expect(await get({ version: '1.0.0', from: 'main', config_file_ref: revision })).toEqual(expected)
    }
    const file = async (config_file: string) => get({ version: '1.0.0', from: 'main', config_file })
    expect(await file('../../etc/passwd')).toEqual([422, problem('Path cannot include directory traversal').message])
    expect(await file('.git/config')).toEqual([422, problem("Path cannot include '.git'").message])
    expect(await file('dir')).toEqual([422, problem('dir is no file').message])
    expect((await file('none.yml'))[0]).toBe(200)
    const empty = await makeProject(place, 'nothing-there')
    expect(await notes(empty, { version: '1.0.0', from: 'main' })).toEqual(problem("there is no revision 'main'"))
  })
})

const noTag = 'The commit start range is unspecified, and no previous tag could be found to use instead'

describe('x.repo_changelog_post', () => {
  test('commits the section above those of lower versions', async () => {
    const project = await makeProject(place, 'committed')
    await history(project, [
      { title: 'Start', tag: 'v0.9.0' },
      { title: 'One', body: 'Changelog: x' },
    ])
    const answer = await commit(project, { version: '1.0.0' })
    expect([answer.status, answer.body]).toEqual([200, 200])
    expect((await filesAt(place, project))['CHANGELOG.md']).toMatch(
      /^## 1\.0\.0 \(2026-04-05\)\n\n### x \(1 change\)\n\n- \[One\]/,
    )
    const [made] = (await place.owner.get(`/projects/${project.id}/repository/commits`)).body
    expect(made).toMatchObject({ message: 'Add changelog for version 1.0.0', author_name: 'developer person' })
    const odd = Buffer.from([0x23, 0x20, 0xff, 0xc3, 0xa0, 0x0a]).toString('base64')
    const put = { branch: 'main', commit_message: 'odd', actions: [{ ...create('ODD', odd), encoding: 'base64' }] }
    await place.owner.post(`/projects/${project.id}/repository/commits`, put)
    await commit(project, { version: '1.0.0', file: 'ODD' })
    const found = await place.owner.get(`/projects/${project.id}/repository/files/ODD?ref=main`)
    expect(Buffer.from(found.body.content, 'base64').toString('latin1')).toMatch(/^# \xff\xc3\xa0\n\n## 1\.0\.0 /)
    await commit(project, { version: '0.9.5' })
    await commit(project, { version: '1.2.0', message: 'My message' })
    await commit(project, { version: '1.0.0' })
    const text = (await filesAt(place, project))['CHANGELOG.md']
    expect(text?.match(/^## \S+/gm)).toEqual(['## 1.2.0', '## 1.0.0', '## 0.9.5'])
    const messages = (await place.owner.get(`/projects/${project.id}/repository/commits`)).body
    expect(messages[1].message).toBe('My message')
  })

  test('writes to the given branch and file', async () => {
    const project = await makeProject(place, 'elsewhere', { a: 'a' })
    const base = `/projects/${project.id}/repository`
    await place.owner.post(`${base}/branches`, { branch: 'news', ref: 'main' })
    const body = { version: '1.0.0', from: 'main', branch: 'news', file: 'docs/NEWS' }
    const trailed = { branch: 'news', commit_message: 'T\n\nChangelog: y', actions: [create('t')] }
    await place.owner.post(`${base}/commits`, trailed)
    expect((await commit(project, body)).status).toBe(200)
    expect((await filesAt(place, project, 'news'))['docs/NEWS']).toContain('### y (1 change)')
    expect(await filesAt(place, project)).toEqual({ a: 'a' })
    for (const [file, reason] of [
      ['docs', 'docs is no file'],
      ['a/b', 'Path cannot lead through a file: a'],
      ['../x', 'Path cannot include directory traversal'],
    ])
      expect((await commit(project, { ...body, file })).body).toEqual(problem(reason ?? ''))
    for (const branch of ['none', '-x']) {
      const answer = await commit(project, { ...body, branch })
      expect([answer.status, answer.body]).toEqual([422, problem(`there is no revision '${branch}'`)])
    }
    const given = await commit(project, { ...body, branch: 'none', to: 'main' })
    expect(given.body).toEqual(problem('You can only create or edit files when you are on a branch'))
  })

  test('retries when the branch moves meanwhile', async () => {
    const project = await makeProject(place, 'contended', { a: 'a' })
    const versions = ['1.0.0', '1.1.0', '1.2.0']
    const answers = await Promise.all(versions.map((version) => commit(project, { version, from: 'main' })))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const text = (await filesAt(place, project))['CHANGELOG.md']
    expect(text?.match(/^## \S+/gm)).toEqual(['## 1.2.0', '## 1.1.0', '## 1.0.0'])
  })

  test('requires the right to push', async () => {
    const project = await makeProject(place, 'pushers', { a: 'a' })
    const body = { version: '1.0.0', from: 'main' }
    await place.owner.post(`/projects/${project.id}/protected_branches`, { name: 'main' })
    const answer = await commit(project, body)
    expect([answer.status, answer.body]).toEqual([
      403,
      { message: '403 Forbidden - You are not allowed to commit a changelog on this branch' },
    ])
    expect(await commit(project, body, place.owner)).toMatchObject({ status: 200, body: 200 })
  })
})
