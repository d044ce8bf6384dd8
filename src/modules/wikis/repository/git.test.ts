import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { git, type Person, sshGit, sshKeyPair, sshUrl, temporaryDirectory } from '../../../testing/index.ts'
import { addressOf, cloned, makeWikiGroup, makeWikiProject, startWikiServer, type WikiPeople } from '../testing.ts'

let people: WikiPeople
let folder: Awaited<ReturnType<typeof temporaryDirectory>>
let count = 0
beforeAll(async () => {
  people = await startWikiServer({ sshPort: 0 })
  folder = await temporaryDirectory()
})
afterAll(async () => {
  await folder[Symbol.asyncDispose]()
  await people.server.stop()
})

const notFound = "The project you were looking for could not be found or you don't have permission to view it."
const noDownload = 'You are not allowed to download code from this project.'
const noPush = 'You are not allowed to push code to this project.'

async function newFolder(): Promise<string> {
  count += 1
  const path = `${folder.path}/${count}`
  await mkdir(path)
  return path
}

/** A folder with a history of its own in which these files are committed. */
async function work(files: Record<string, string | Buffer>, branch = 'main'): Promise<string> {
  const path = await newFolder()
  await git(path, 'init', '--quiet', `--initial-branch=${branch}`)
  for (const [name, content] of Object.entries(files)) {
    await mkdir(`${path}/${name}`.replace(/\/[^/]*$/, ''), { recursive: true })
    await writeFile(`${path}/${name}`, content)
  }
  await git(path, 'add', '--all')
  await git(path, 'commit', '--quiet', '--message', 'pushed')
  return path
}

const push = (path: string, who: Person | null, wiki: string, refspec = 'HEAD') =>
  git(path, 'push', addressOf(people, who, wiki), refspec)

/** The first answer of git over HTTP. */
async function answerTo(who: Person | null, wiki: string, service: string) {
  const headers: Record<string, string> = who
    ? { Authorization: `Basic ${Buffer.from(`any:${who.token}`).toString('base64')}` }
    : {}
  const response = await fetch(`${people.server.url}/${wiki}.git/info/refs?service=${service}`, { headers })
  return [response.status, response.status === 200 ? '' : await response.text()]
}

const slugsOf = async (path: string, who = people.owner) =>
  (await who.get(path)).body.map((page: { slug: string }) => page.slug)

describe('the wiki of a project', () => {
  test('can be cloned while empty, and after writes through the API', async () => {
    const project = await makeWikiProject(people, 'cloned')
    await cloned(people, people.guest, 'owner/cloned.wiki', await newFolder())
    await people.developer.post(`/projects/${project.id}/wikis`, { title: 'a/b', content: 'text' })
    const copy = await cloned(people, people.guest, 'owner/cloned.wiki', await newFolder())
    expect((await git(copy, 'show', 'main:a/b.md')).stdout).toBe('text')
    expect((await git(copy, 'fsck', '--strict')).code).toBe(0)
  })

  test('has the default branch of its project', async () => {
    const project = await makeWikiProject(people, 'trunked')
    const { database } = people.server.app.platform
    await database.write((tx) =>
      tx.updateTable('projects').set({ default_branch: 'trunk' }).where('id', '=', project.id).execute(),
    )
    await people.developer.post(`/projects/${project.id}/wikis`, { title: 'p', content: '' })
    const copy = await cloned(people, people.guest, 'owner/trunked.wiki', await newFolder())
    expect((await git(copy, 'branch', '--show-current')).stdout.trim()).toBe('trunk')
  })

  test('accepts pushes, whose pages and events appear in the API', async () => {
    const project = await makeWikiProject(people, 'pushed')
    const path = `/projects/${project.id}/wikis`
    const files = { 'home.md': '# Home', 'dir/My Page.rst': 'Text', 'picture.png': 'no page', 'notes.TXT': 'n' }
    const here = await work(files)
    expect(await push(here, people.developer, 'owner/pushed.wiki')).toMatchObject({ code: 0 })
    expect(await slugsOf(path)).toEqual(['dir/My-Page', 'home', 'notes'])
    expect((await people.guest.get(`${path}/dir%2FMy-Page`)).body).toMatchObject({ format: 'rest', title: 'My Page' })
    const { body: page } = await people.guest.get(`${path}/home`)
    const events = await people.server.app.platform.database.read
      .selectFrom('events')
      .select(['action', 'author_id', 'target_id', 'target_title'])
      .where('project_id', '=', project.id)
      .orderBy('target_title')
      .execute()
    const made = { action: 'created', author_id: people.developer.id }
    expect(events).toMatchObject([
      { ...made, target_title: 'My Page' },
      { ...made, target_id: page.wiki_page_meta_id },
      made,
    ])
    await git(here, 'mv', 'home.md', 'start.md')
    await git(here, 'rm', '--quiet', 'notes.TXT')
    await git(here, 'commit', '--quiet', '--message', 'moved')
    expect(await push(here, people.developer, 'owner/pushed.wiki')).toMatchObject({ code: 0 })
    expect((await people.guest.get(`${path}/start`)).body.wiki_page_meta_id).toBe(page.wiki_page_meta_id)
    const changed = await people.developer.put(`${path}/dir%2FMy-Page`, { content: 'New' })
    expect(changed.body).toMatchObject({ slug: 'dir/My-Page', format: 'rest', content: 'New' })
  })

  test('uses the first pushed branch, and protects it from deletion', async () => {
    const project = await makeWikiProject(people, 'first')
    const here = await work({ 'p.md': 'x' }, 'master')
    expect(await push(here, people.developer, 'owner/first.wiki')).toMatchObject({ code: 0 })
    expect(await slugsOf(`/projects/${project.id}/wikis`)).toEqual(['p'])
    await people.developer.post(`/projects/${project.id}/wikis`, { title: 'q', content: '' })
    const copy = await cloned(people, people.guest, 'owner/first.wiki', await newFolder())
    expect((await git(copy, 'ls-files')).stdout).toBe('p.md\nq.md\n')
    const deleted = await push(here, people.developer, 'owner/first.wiki', ':master')
    expect([deleted.code, deleted.stderr]).toEqual([1, expect.stringContaining('default branch of a project cannot')])
    const named = await push(here, people.developer, 'owner/first.wiki', `HEAD:refs/heads/${'a'.repeat(40)}`)
    expect(named.stderr).toContain('hexadecimal branch name')
  })

  test('has the same access as the API', async () => {
    const project = await makeWikiProject(people, 'guarded')
    const { owner, developer, reporter, guest, outsider } = people
    const [fetches, pushes] = ['git-upload-pack', 'git-receive-pack']
    const wiki = 'owner/guarded.wiki'
    expect(await answerTo(guest, wiki, fetches)).toEqual([200, ''])
    expect(await answerTo(developer, wiki, pushes)).toEqual([200, ''])
    for (const person of [guest, reporter]) expect(await answerTo(person, wiki, pushes)).toEqual([403, noPush])
    for (const service of [fetches, pushes]) {
      expect(await answerTo(outsider, wiki, service)).toEqual([404, notFound])
      expect(await answerTo(owner, 'owner/nothing.wiki', service)).toEqual([404, notFound])
      expect((await answerTo(null, wiki, service))[0]).toBe(401)
      expect((await answerTo({ ...owner, token: 'wrong' }, wiki, service))[0]).toBe(401)
    }
    const reading = { ...developer, token: await people.server.make.token(developer, ['read_repository']) }
    expect(await answerTo(reading, wiki, fetches)).toEqual([200, ''])
    expect(await answerTo(reading, wiki, pushes)).toEqual([403, 'You are not allowed to upload code.'])
    await owner.put(`/projects/${project.id}`, { wiki_access_level: 'disabled' })
    for (const service of [fetches, pushes]) expect(await answerTo(owner, wiki, service)).toEqual([403, noDownload])
    await owner.put(`/projects/${project.id}`, { wiki_access_level: 'enabled' })
    await owner.post(`/projects/${project.id}/archive`)
    expect(await answerTo(guest, wiki, fetches)).toEqual([200, ''])
    expect(await answerTo(developer, wiki, pushes)).toEqual([403, "You can't push code to an archived project."])
  })

  test('is readable by anonymous users when public, unless limited to members', async () => {
    const project = await makeWikiProject(people, 'open', 'public')
    const [fetches, pushes] = ['git-upload-pack', 'git-receive-pack']
    expect(await answerTo(null, 'owner/open.wiki', fetches)).toEqual([200, ''])
    expect((await answerTo(null, 'owner/open.wiki', pushes))[0]).toBe(401)
    expect(await answerTo(people.outsider, 'owner/open.wiki', pushes)).toEqual([403, noPush])
    await people.owner.put(`/projects/${project.id}`, { repository_access_level: 'disabled' })
    expect(await answerTo(null, 'owner/open.wiki', fetches)).toEqual([200, ''])
    await people.owner.put(`/projects/${project.id}`, { wiki_access_level: 'private' })
    expect((await answerTo(null, 'owner/open.wiki', fetches))[0]).toBe(401)
    expect(await answerTo(people.outsider, 'owner/open.wiki', fetches)).toEqual([403, noDownload])
    expect(await answerTo(people.guest, 'owner/open.wiki', fetches)).toEqual([200, ''])
  })

  test("is reachable by the project's old path, with a message", async () => {
    const project = await makeWikiProject(people, 'before')
    await people.owner.put(`/projects/${project.id}`, { path: 'after' })
    const here = await work({ 'p.md': 'x' })
    const pushed = await push(here, people.developer, 'owner/before.wiki')
    expect(pushed.code).toBe(0)
    expect(pushed.stderr).toContain("Project 'owner/before.wiki' was moved to 'owner/after.wiki'.")
    expect(pushed.stderr).toContain(`${people.server.url}/owner/after.wiki.git`)
  })

  test('a push to a missing project does not create one', async () => {
    const here = await work({ 'p.md': 'x' })
    expect((await push(here, people.owner, 'owner/unheard-of.wiki')).code).toBe(128)
    expect((await people.owner.get('/projects/owner%2Funheard-of.wiki')).status).toBe(404)
    expect((await people.owner.get('/projects/owner%2Funheard-of')).status).toBe(404)
  })

  test('is reachable over SSH, by users and deploy keys', async () => {
    const project = await makeWikiProject(people, 'by-ssh')
    const [own, reading, writing] = await Promise.all(
      ['own', 'reading', 'writing'].map((name) => sshKeyPair(folder.path, name)),
    )
    await people.developer.post('/user/keys', { title: 'own', key: own!.publicKey })
    const keys = `/projects/${project.id}/deploy_keys`
    await people.maintainer.post(keys, { title: 'reading', key: reading!.publicKey })
    await people.maintainer.post(keys, { title: 'writing', key: writing!.publicKey, can_push: true })
    const address = sshUrl(people.server, 'owner/by-ssh.wiki')
    const here = await work({ 'p.md': 'x' })
    const refused = (outcome: Awaited<ReturnType<typeof git>>, sentence: string) =>
      expect([outcome.code, outcome.stderr]).toEqual([128, expect.stringContaining(sentence)])
    expect(await sshGit(people.server, own!, here, 'push', address, 'HEAD')).toMatchObject({ code: 0 })
    refused(await sshGit(people.server, reading!, here, 'push', address, 'HEAD:side'), 'does not have write access')
    expect(await sshGit(people.server, reading!, here, 'ls-remote', address)).toMatchObject({ code: 0 })
    expect(await sshGit(people.server, writing!, here, 'push', address, 'HEAD:side')).toMatchObject({ code: 0 })
    await people.owner.put(`/projects/${project.id}`, { wiki_access_level: 'disabled' })
    refused(await sshGit(people.server, writing!, here, 'ls-remote', address), noDownload)
    refused(await sshGit(people.server, own!, here, 'ls-remote', address), noDownload)
  })

  test('is readable with deploy tokens of the project and its parent groups', async () => {
    const group = await makeWikiGroup(people, 'deployed')
    const project = await people.server.make.project('p', people.owner, { namespace: group })
    const make = async (path: string) => {
      const { status, body } = await people.owner.post(path, { name: 't', scopes: ['read_repository'] })
      expect(status).toBe(201)
      return `${body.username}:${body.token}`
    }
    const tokens = [
      await make(`/projects/${project.id}/deploy_tokens`),
      await make(`/groups/${group.id}/deploy_tokens`),
    ]
    await people.developer.post(`/groups/${group.id}/wikis`, { title: 'p', content: '' })
    const ask = async (credentials: string, wiki: string, service: string) => {
      const headers = { Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }
      return (await fetch(`${people.server.url}/${wiki}.git/info/refs?service=${service}`, { headers })).status
    }
    for (const token of tokens) {
      expect(await ask(token, 'deployed/p.wiki', 'git-upload-pack')).toBe(200)
      expect(await ask(token, 'deployed/p.wiki', 'git-receive-pack')).toBe(403)
    }
    expect(await ask(tokens[0]!, 'deployed.wiki', 'git-upload-pack')).toBe(404)
    expect(await ask(tokens[1]!, 'deployed.wiki', 'git-upload-pack')).toBe(200)
  })
})

describe('a malicious wiki', () => {
  test('shows only files, and does not follow links', async () => {
    const project = await makeWikiProject(people, 'links')
    const path = `/projects/${project.id}/wikis`
    const here = await work({ 'real.md': 'x' })
    await symlink('/etc/passwd', `${here}/passwd.md`)
    await symlink('/etc', `${here}/etc`)
    await git(here, 'add', '--all')
    await git(here, 'commit', '--quiet', '--message', 'links')
    expect(await push(here, people.developer, 'owner/links.wiki')).toMatchObject({ code: 0 })
    expect(await slugsOf(path)).toEqual(['real'])
    for (const slug of ['passwd', 'etc%2Fpasswd', 'etc']) {
      expect((await people.guest.get(`${path}/${slug}`)).status).toBe(404)
    }
    const over = await people.developer.post(path, { title: 'passwd', content: 'mine' })
    expect([over.status, over.body]).toEqual([400, { message: 'A file with this name already exists' }])
    const through = await people.developer.post(path, { title: 'etc/x', content: 'mine' })
    expect([through.status, through.body]).toEqual([400, { message: 'Path cannot lead through a file: etc' }])
  })

  test('with names and contents that are not text is shown as far as possible', async () => {
    const project = await makeWikiProject(people, 'bytes')
    const path = `/projects/${project.id}/wikis`
    const here = await work({ 'latin.md': Buffer.from([0x66, 0xfc, 0x72, 0x00]), 'dir.md/x.md': 'x', '...md': 'dots' })
    const stream = `commit refs/heads/main\ncommitter A <a@b> 1700000000 +0000\ndata 1\nx\nfrom refs/heads/main^0\nM 100644 inline "bad\\377.md"\ndata 1\nx\n`
    await writeFile(`${here}/.git/stream`, stream)
    await git(here, '-c', 'alias.feed=!git fast-import --quiet < .git/stream', 'feed')
    expect(await push(here, people.developer, 'owner/bytes.wiki', 'main')).toMatchObject({ code: 0 })
    expect(await slugsOf(path)).toEqual(['dir.md/x', 'latin'])
    expect((await people.guest.get(`${path}/latin`)).body.content).toBe('f\ufffdr\u0000')
    const blocked = await people.developer.post(path, { title: 'dir', content: '' })
    expect([blocked.status, blocked.body]).toEqual([400, { message: 'A directory with this name already exists' }])
  })

  test('with two files for one slug shows the same one everywhere', async () => {
    const project = await makeWikiProject(people, 'twice')
    const path = `/projects/${project.id}/wikis`
    const here = await work({ 'a b/p.md': 'blank', 'a-b/p.org': 'dash', 'q.rdoc': 'rdoc', 'q.md': 'md' })
    expect(await push(here, people.developer, 'owner/twice.wiki')).toMatchObject({ code: 0 })
    const { body } = await people.guest.get(`${path}?with_content=true`)
    expect(body.map((page: { slug: string; content: string }) => [page.slug, page.content])).toEqual([
      ['a-b/p', 'dash'],
      ['q', 'md'],
    ])
    expect((await people.guest.get(`${path}/a-b%2Fp`)).body.content).toBe('dash')
    expect((await people.guest.get(`${path}/q`)).body.content).toBe('md')
  })

  test('with an endless number of paths is still listed', async () => {
    const project = await makeWikiProject(people, 'endless')
    const here = await work({ 'p.md': 'x' })
    // Each level has the one before ten times: 10^12 pages in a dozen small objects.
    let tree = (await git(here, 'rev-parse', 'HEAD^{tree}')).stdout.trim()
    for (let level = 0; level < 12; level += 1) {
      const lines = [...'0123456789'].map((name) => `040000 tree ${tree}\t${name}`)
      await writeFile(`${here}/.git/tree`, `${lines.join('\n')}\n`)
      tree = (await git(here, '-c', 'alias.feed=!git mktree < .git/tree', 'feed')).stdout.trim()
    }
    const commit = (await git(here, 'commit-tree', '-m', 'endless', tree)).stdout.trim()
    const pushed = await push(here, people.developer, 'owner/endless.wiki', `${commit}:refs/heads/main`)
    expect(pushed).toMatchObject({ code: 0 })
    const { status, body } = await people.guest.get(`/projects/${project.id}/wikis`)
    expect(status).toBe(200)
    expect(body.length).toBeGreaterThan(1_000)
    expect((await people.guest.get(`/projects/${project.id}/wikis/9%2F9`)).status).toBe(404)
  }, 120_000)
})

describe('the wiki of a group', () => {
  const wikisOf = (group: { id: number }) => `/groups/${group.id}/wikis`

  async function rowsOf(group: { id: number }) {
    const { database } = people.server.app.platform
    return database.read.selectFrom('repositories').selectAll().where('namespace_id', '=', group.id).execute()
  }

  test('is created with its first page', async () => {
    const group = await makeWikiGroup(people, 'pages')
    const { developer, guest, maintainer } = people
    expect((await guest.get(wikisOf(group))).body).toEqual([])
    expect((await developer.put(`${wikisOf(group)}/x`, { content: 'x' })).status).toBe(404)
    expect(await rowsOf(group)).toEqual([])
    const made = await developer.post(wikisOf(group), { title: 'a/b', content: 'x' })
    expect([made.status, made.body.slug]).toEqual([201, 'a/b'])
    expect(await rowsOf(group)).toMatchObject([{ kind: 'wiki', project_id: null, generation: 2 }])
    const copy = await cloned(people, guest, 'pages.wiki', await newFolder())
    expect((await git(copy, 'ls-files')).stdout).toBe('a/b.md\n')
    const moved = await developer.put(`${wikisOf(group)}/a%2Fb`, { title: 'c', content: 'y' })
    expect(moved.body).toMatchObject({ slug: 'a/c', content: 'y', wiki_page_meta_id: made.body.wiki_page_meta_id })
    expect((await guest.get(`${wikisOf(group)}/a%2Fc`)).body).toEqual(moved.body)
    expect((await developer.delete(`${wikisOf(group)}/a%2Fc`)).status).toBe(403)
    expect((await maintainer.delete(`${wikisOf(group)}/a%2Fc`)).status).toBe(204)
    const missing = await guest.get(`${wikisOf(group)}/a%2Fc`)
    expect([missing.status, missing.body]).toEqual([404, { message: '404 Wiki Page Not Found' }])
  })

  test('is created when a user who may write to it clones it', async () => {
    const group = await makeWikiGroup(people, 'begun')
    expect(await answerTo(people.guest, 'begun.wiki', 'git-upload-pack')).toEqual([404, notFound])
    await cloned(people, people.developer, 'begun.wiki', await newFolder())
    expect(await rowsOf(group)).toHaveLength(1)
    const here = await work({ 'p.md': 'x' })
    expect(await push(here, people.developer, 'begun.wiki')).toMatchObject({ code: 0 })
    expect(await slugsOf(wikisOf(group))).toEqual(['p'])
    expect((await push(here, people.reporter, 'begun.wiki')).stderr).toContain('403')
    expect(await answerTo(people.outsider, 'begun.wiki', 'git-upload-pack')).toEqual([404, notFound])
    expect((await answerTo(null, 'begun.wiki', 'git-upload-pack'))[0]).toBe(401)
  })

  test('is for members, or public', async () => {
    const group = await makeWikiGroup(people, 'shown', 'public')
    const { server, owner, developer, outsider, guest } = people
    await developer.post(wikisOf(group), { title: 'p', content: 'x' })
    expect((await server.anonymous.get(`${wikisOf(group)}/p`)).status).toBe(200)
    expect(await answerTo(null, 'shown.wiki', 'git-upload-pack')).toEqual([200, ''])
    expect((await outsider.post(wikisOf(group), { title: 'q', content: '' })).status).toBe(403)
    expect((await server.anonymous.post(wikisOf(group), {})).status).toBe(401)
    await owner.put(`/groups/${group.id}`, { wiki_access_level: 'private' })
    for (const client of [server.anonymous, outsider]) {
      const refused = await client.get(`${wikisOf(group)}/p`)
      expect([refused.status, refused.body]).toEqual([403, { message: '403 Forbidden' }])
    }
    expect(await answerTo(outsider, 'shown.wiki', 'git-upload-pack')).toEqual([403, noDownload])
    expect((await guest.get(`${wikisOf(group)}/p`)).status).toBe(200)
    await owner.put(`/groups/${group.id}`, { wiki_access_level: 'disabled' })
    const off = await owner.get(wikisOf(group))
    expect([off.status, off.body]).toEqual([403, { message: '403 Forbidden' }])
    const hidden = await makeWikiGroup(people, 'hidden')
    const invisible = await outsider.get(wikisOf(hidden))
    expect([invisible.status, invisible.body]).toEqual([404, { message: '404 Group Not Found' }])
  })

  test('has the default branch of the group', async () => {
    const group = await makeWikiGroup(people, 'branched')
    await people.owner.put(`/groups/${group.id}`, { default_branch: 'trunk' })
    await people.developer.post(wikisOf(group), { title: 'p', content: '' })
    const copy = await cloned(people, people.guest, 'branched.wiki', await newFolder())
    expect((await git(copy, 'branch', '--show-current')).stdout.trim()).toBe('trunk')
  })

  test('is deleted with the group, as are those of its subgroups', async () => {
    const group = await makeWikiGroup(people, 'leaving')
    const below = await people.server.make.group('below', people.owner, { parent: group })
    const { owner, server } = people
    for (const one of [group, below]) await owner.post(wikisOf(one), { title: 'p', content: 'x' })
    const rows = [...(await rowsOf(group)), ...(await rowsOf(below))]
    const repositories = rows.map(({ storage, disk_path }) =>
      server.app.platform.git.repository({ storage, diskPath: disk_path as never }),
    )
    const there = () => Promise.all(repositories.map((repository) => repository.exists()))
    expect(await there()).toEqual([true, true])
    expect((await owner.delete(`/groups/${group.id}`)).status).toBe(202)
    const marked = await owner.post(wikisOf(group), { title: 'q', content: 'x' })
    expect([marked.status, marked.body]).toEqual([403, { message: '403 Forbidden' }])
    await server.root.put('/application/settings', { deletion_adjourned_period: 0 })
    const { database, jobs } = server.app.platform
    await database.write((tx) => jobs.enqueue(tx, 'groups.remove_due', null))
    await jobs.drain()
    // A job that meets another one on the same repository is repeated after a moment.
    await expect.poll(there).toEqual([false, false])
    const left = () => database.read.selectFrom('removed_repositories').selectAll().execute()
    await expect.poll(left).toEqual([])
  })
})
