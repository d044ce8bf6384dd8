import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { onPostgres, type Person, startTestServer, type TestServer, type WorkTree } from '../../../testing/index.ts'
import { treeOfNewProject } from '../testing.ts'

let server: TestServer
let tester: Person
let other: Person
beforeAll(async () => {
  server = await startTestServer()
  // The author and committer of commits in work trees: Tester <tester@example.com>.
  tester = await server.user('tester')
  other = await server.user('other')
})
afterAll(() => server.stop())

const accepted = { isAccepted: true, sentences: [], stderr: expect.any(String) }
const refused = (...sentences: string[]) => ({ isAccepted: false, sentences, stderr: expect.any(String) })

let count = 0
/** Creates a project with a push rule. @returns its work tree */
async function treeWith(rule: object): Promise<WorkTree> {
  count += 1
  const tree = await treeOfNewProject(server, tester, `ruled${count}`)
  await server.make.member({ project: tree.project }, other, 40)
  const { status, body } = await tester.post(`/projects/${tree.project.id}/push_rule`, rule)
  expect(status, JSON.stringify(body)).toBe(201)
  return tree
}

/** Creates a commit through the API. @returns the sentence that refuses it, or null */
async function commitByApi(person: Person, { project }: WorkTree, values: object = {}): Promise<string | null> {
  count += 1
  const actions = [{ action: 'create', file_path: `file${count}`, content: 'x' }]
  const wanted = { branch: 'main', commit_message: 'By the API', actions, ...values }
  const { status, body } = await person.post(`/projects/${project.id}/repository/commits`, wanted)
  if (status === 201) return null
  expect(status, JSON.stringify(body)).toBe(400)
  return body.message
}

const setName = (person: Person, name: string) => server.root.put(`/users/${person.id}`, { name })

// What a pattern says of a commit does not hang on the database, so it is tested on one.
describe.skipIf(onPostgres)('the messages of new commits', () => {
  test('must match the pattern', async () => {
    await using tree = await treeWith({ commit_message_regex: '^[A-Z]+-\\d+: ' })
    const sentence = "Commit message does not follow the pattern '^[A-Z]+-\\d+: '"
    await tree.commit('JIRA-1: good')
    await tree.commit('Bad')
    await tree.commit('JIRA-2: good')
    expect(await tree.push(tester, 'main')).toEqual(refused(sentence))
    expect(await tree.push(server.root as Person, 'main:topic')).toEqual(refused(sentence))
    await tree.run('reset', '--quiet', '--hard', 'HEAD~2')
    await tree.commit('Summary\n\nJIRA-3: in a later line')
    expect(await tree.push(tester, 'main')).toEqual(accepted)
    expect(await commitByApi(tester, tree)).toBe(sentence)
    expect(await commitByApi(tester, tree, { commit_message: 'JIRA-4: good' })).toBeNull()
  })

  test('must not contain the forbidden pattern', async () => {
    await using tree = await treeWith({ commit_message_negative_regex: '^ssh://' })
    const sentence = "Commit message contains the forbidden pattern '^ssh://'"
    await tree.commit('See\r\nssh://host')
    expect(await tree.push(tester, 'main')).toEqual(refused(sentence))
    await tree.run('commit', '--quiet', '--amend', '--allow-empty', '--message', 'See ssh://host')
    expect(await tree.push(tester, 'main')).toEqual(accepted)
    expect(await commitByApi(tester, tree, { commit_message: 'ssh://x' })).toBe(sentence)
  })

  test('are matched as one text when the pattern spans lines', async () => {
    await using tree = await treeWith({ commit_message_regex: '(?-m)^Only' })
    await tree.commit('First\n\nOnly')
    expect((await tree.push(tester, 'main')).isAccepted).toBe(false)
    await tree.run('commit', '--quiet', '--amend', '--allow-empty', '--message', 'Only\n\nSecond')
    expect(await tree.push(tester, 'main')).toEqual(accepted)
  })

  test('must be signed off', async () => {
    await using tree = await treeWith({ reject_non_dco_commits: true })
    const sentence = 'Commit message must contain a DCO signoff'
    const signoffs = [
      'No',
      'Signed-off-by: Nobody',
      'Signed-off-by: <a@b>',
      'x Signed-off-by: A <a@b>',
      'Signed-off-by: A <a>',
    ]
    for (const message of signoffs) {
      await tree.commit(`Title\n\n${message}`)
      expect(await tree.push(tester, 'main'), message).toEqual(refused(sentence))
      await tree.run('reset', '--quiet', '--hard', 'HEAD~1')
    }
    await tree.commit('Yes', {}, '--signoff')
    expect(await tree.push(tester, 'main')).toEqual(accepted)
    expect(await commitByApi(tester, tree)).toBe(sentence)
    const signed = 'Yes\n\nSigned-off-by: Tester <tester@example.com>'
    expect(await commitByApi(tester, tree, { commit_message: signed })).toBeNull()
  })
})

describe('the authors and committers of new commits', () => {
  test('must have addresses that match the pattern', async () => {
    await using tree = await treeWith({ author_email_regex: '@example\\.com$' })
    const pattern = "does not follow the pattern '@example\\.com$'"
    await tree.commit('Foreign', {}, '--author', 'X <x@elsewhere.org>')
    expect(await tree.push(tester, 'main')).toEqual(refused(`Author's email 'x@elsewhere.org' ${pattern}`))
    await tree.run('reset', '--quiet', '--hard', 'HEAD~1')
    await tester.put(`/projects/${tree.project.id}/push_rule`, { author_email_regex: '^x@' })
    await tree.commit('Author alone', {}, '--author', 'X <x@elsewhere.org>')
    expect(await tree.push(tester, 'main')).toEqual(
      refused("Committer's email 'tester@example.com' does not follow the pattern '^x@'"),
    )
    expect(await commitByApi(tester, tree)).toBe(
      "Author's email 'tester@example.com' does not follow the pattern '^x@'",
    )
  })

  test('must be users', async () => {
    await using tree = await treeWith({ member_check: true })
    await tree.commit('Known', {}, '--author', 'X <OTHER@example.com>')
    expect(await tree.push(tester, 'main')).toEqual(accepted)
    await tree.commit('Private', {}, '--author', `X <${other.id}-other@${new URL(server.url).hostname}>`)
    expect((await tree.push(tester, 'main')).sentences).toEqual([
      `Author '${other.id}-other@${new URL(server.url).hostname}' is not a member of team`,
    ])
    const { commit_email_hostname: host } = (await server.root.get('/application/settings')).body
    await tree.run(
      'commit',
      '--quiet',
      '--amend',
      '--allow-empty',
      '-m',
      'P',
      '--author',
      `X <${other.id}-other@${host}>`,
    )
    expect(await tree.push(tester, 'main')).toEqual(accepted)
    await tree.commit('Unknown', {}, '--author', 'X <nobody@example.com>')
    expect(await tree.push(tester, 'main')).toEqual(refused("Author 'nobody@example.com' is not a member of team"))
    expect(await commitByApi(tester, tree)).toBeNull()
    expect(await commitByApi(tester, tree, { author_email: 'nobody@example.com', author_name: 'N' })).toBe(
      "Author 'nobody@example.com' is not a member of team",
    )
  })

  test('must be the pusher', async () => {
    await using tree = await treeWith({ commit_committer_check: true })
    const sentence =
      "You cannot push commits for 'tester@example.com'. " +
      'You can only push commits if the committer email is one of your own verified emails.'
    await tree.commit('Mine')
    expect(await tree.push(other, 'main')).toEqual(refused(sentence))
    await server.app.platform.database.write((tx) =>
      tx.updateTable('users').set({ confirmed_at: null }).where('id', '=', other.id).execute(),
    )
    expect(await tree.push(tester, 'main')).toEqual(accepted)
    expect(await commitByApi(tester, tree)).toBeNull()
  })

  test('must have the name of the pusher', async () => {
    await using tree = await treeWith({ commit_committer_name_check: true })
    await tree.commit('Mine')
    const sentence = 'Your git username is inconsistent with GitLab account name'
    expect(await tree.push(tester, 'main')).toEqual(refused(sentence))
    await setName(tester, 'Tester')
    expect(await tree.push(tester, 'main')).toEqual(accepted)
    expect(await commitByApi(tester, tree)).toBeNull()
    await setName(tester, 'tester person')
  })

  test('must sign commits pushed through git', async () => {
    await using tree = await treeWith({ reject_unsigned_commits: true })
    await tree.commit('Unsigned')
    const sentence = 'Commit must be signed with a GPG key'
    expect(await tree.push(tester, 'main')).toEqual(refused(sentence))
    await tree.run('reset', '--quiet', '--hard', 'HEAD~1')
    const key = join(tree.folder, '.git', 'key')
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
    const signing = ['-c', 'gpg.format=ssh', '-c', `user.signingkey=${key}`]
    await tree.run(...signing, 'commit', '--quiet', '--allow-empty', '--gpg-sign', '--message', 'Signed')
    expect(await tree.push(tester, 'main')).toEqual(accepted)
    expect(await commitByApi(tester, tree)).toBeNull()
  })
})

describe.skipIf(onPostgres)('the files of new commits', () => {
  const prohibited = (path: string, pattern: string) => `File name ${path} was prohibited by the pattern "${pattern}".`

  test('must not have a forbidden name unless they exist already', async () => {
    await using tree = await treeWith({})
    await tree.commit('Before', { 'old.exe': '1' })
    expect(await tree.push(tester, 'main')).toEqual(accepted)
    await tester.put(`/projects/${tree.project.id}/push_rule`, { file_name_regex: '(^|/)[^/]+\\.exe$' })
    await tree.commit('Changed', { 'old.exe': '2' })
    expect(await tree.push(tester, 'main')).toEqual(accepted)
    await tree.commit('New', { 'deep/er/new.exe': '1' })
    await tree.run('rm', '--quiet', 'deep/er/new.exe')
    await tree.commit('Gone again')
    const sentence = prohibited('deep/er/new.exe', '(^|/)[^/]+\\.exe$')
    expect(await tree.push(tester, 'main')).toEqual(refused(sentence))
    const actions = [{ action: 'create', file_path: 'a b.exe', content: 'x' }]
    expect(await commitByApi(tester, tree, { actions })).toBe(prohibited('a b.exe', '(^|/)[^/]+\\.exe$'))
  })

  test('must not be likely secrets', async () => {
    await using tree = await treeWith({ prevent_secrets: true })
    await tree.commit('Fine', { 'id_rsa.pub': 'x', 'key.ts': 'x', 'credentials.md': 'x', 'my.pem.txt': 'x' })
    expect(await tree.push(tester, 'main')).toEqual(accepted)
    const cases: [path: string, pattern: string][] = [
      ['home/id_ed25519', 'id_ed25519'],
      ['.aws/credentials', '.aws/credentials'],
      ['deep/aws/credentials', 'aws/credentials'],
      ['x/config/server_rsa', 'config/server_rsa'],
      ['certificates/a.pem', '*.pem'],
      ['.bash_history', '*_history'],
    ]
    for (const [path, pattern] of cases) {
      await tree.commit('Secret', { [path]: 'x' })
      expect(await tree.push(tester, 'main')).toEqual(refused(prohibited(path, pattern)))
      await tree.run('reset', '--quiet', '--hard', 'HEAD~1')
    }
    const actions = [{ action: 'create', file_path: 'tls.key', content: 'x' }]
    expect(await commitByApi(tester, tree, { actions })).toBe(prohibited('tls.key', '*.key'))
  })

  test('must not be larger than allowed', async () => {
    await using tree = await treeWith({ max_file_size: 1 })
    const megabyte = 1024 * 1024
    const sentence = 'File "dir/large" is larger than the allowed size of 1 MiB. Use Git LFS to manage this file.'
    await tree.commit('Small', { 'dir/large': 'x'.repeat(megabyte), link: 'x' })
    expect(await tree.push(tester, 'main')).toEqual(accepted)
    await tree.commit('Large', { 'dir/large': 'x'.repeat(megabyte + 1) })
    await tree.commit('Small again', { 'dir/large': 'x' })
    expect(await tree.push(tester, 'main')).toEqual(refused(sentence))
    const actions = [{ action: 'update', file_path: 'dir/large', content: 'y'.repeat(megabyte + 1) }]
    expect(await commitByApi(tester, tree, { actions })).toBe(sentence)
  })

  test('may be submodules, which have no size', async () => {
    await using tree = await treeWith({ max_file_size: 1, prevent_secrets: true })
    const head = await tree.run('rev-parse', 'HEAD')
    await tree.run('update-index', '--add', '--cacheinfo', `160000,${head},module`)
    await tree.run('commit', '--quiet', '--message', 'Submodule')
    expect(await tree.push(tester, 'main')).toEqual(accepted)
  })
})

describe('refs', () => {
  test('that are branches must match the pattern, except the default branch', async () => {
    await using tree = await treeWith({ branch_name_regex: '^(feature|fix)/' })
    const sentence = "Branch name does not follow the pattern '^(feature|fix)/'"
    await tree.commit('On main')
    expect(await tree.push(tester, 'main')).toEqual(accepted)
    expect(await tree.push(tester, 'main:topic')).toEqual(refused(sentence))
    expect(await tree.push(tester, 'main:feature/a', 'main:topic')).toMatchObject({ isAccepted: false })
    expect(await tree.push(tester, 'main:feature/a', 'main:refs/tags/topic')).toEqual(accepted)
    const made = { branch: 'topic', ref: 'main' }
    const byApi = await tester.post(`/projects/${tree.project.id}/repository/branches`, made)
    expect(byApi).toMatchObject({ status: 400, body: { message: sentence } })
    await tester.put(`/projects/${tree.project.id}/push_rule`, { branch_name_regex: '' })
    expect(await tree.push(tester, 'main:topic')).toEqual(accepted)
    await tester.put(`/projects/${tree.project.id}/push_rule`, { branch_name_regex: '^feature/' })
    expect(await tree.push(tester, ':topic')).toEqual(accepted)
  })

  test('that are tags cannot be deleted through git', async () => {
    await using tree = await treeWith({ deny_delete_tag: true })
    expect(await tree.push(tester, 'main:refs/tags/v1', 'main:topic')).toEqual(accepted)
    expect(await tree.push(tester, ':refs/tags/v1')).toEqual(refused('You cannot delete a tag'))
    expect(await tree.push(tester, ':topic')).toEqual(accepted)
  })

  test('of tags also check their commits', async () => {
    await using tree = await treeWith({ commit_message_regex: 'JIRA' })
    await tree.commit('Hidden behind a tag')
    await tree.run('tag', '--annotate', '--message', 'v1', 'v1')
    expect(await tree.push(tester, 'v1')).toEqual(refused("Commit message does not follow the pattern 'JIRA'"))
    const blob = await tree.run('hash-object', '-w', join(tree.folder, '.git', 'HEAD'))
    await tree.run('tag', 'of-a-blob', blob)
    expect(await tree.push(tester, 'of-a-blob')).toEqual(accepted)
  })

  test('that are tags must not be named like the default branch or a commit', async () => {
    await using tree = await treeOfNewProject(server, tester, 'tag_names')
    const likeBranch = 'You cannot use default branch name to create a tag'
    const likeCommit = 'You cannot create a tag with a prohibited pattern.'
    const [short, long] = ['0123456789abcdef'.repeat(3).slice(0, 40), 'f'.repeat(64)]
    expect(await tree.push(tester, 'main:refs/tags/main')).toEqual(refused(likeBranch))
    expect(await tree.push(tester, `main:refs/tags/${short}`)).toEqual(refused(likeCommit))
    expect(await tree.push(tester, `main:refs/tags/${long}`)).toEqual(refused(likeCommit))
    expect(await tree.push(tester, `main:refs/tags/${short}0`, 'main:refs/tags/main2')).toEqual(accepted)
  })
})

describe('a push', () => {
  test('is refused with the sentence of the first check in order', async () => {
    await using tree = await treeWith({
      commit_message_regex: 'JIRA',
      file_name_regex: 'secret',
      branch_name_regex: '^feature/',
      max_file_size: 1,
    })
    await tree.commit('JIRA', { secret: 'x' })
    expect((await tree.push(tester, 'main:topic')).sentences).toEqual([
      "Branch name does not follow the pattern '^feature/'",
    ])
    expect((await tree.push(tester, 'main:feature/a')).sentences[0]).toMatch(/^File name secret/)
    await tree.commit('No')
    expect((await tree.push(tester, 'main:topic')).sentences).toEqual([
      "Commit message does not follow the pattern 'JIRA'",
    ])
  })

  test('is not checked for merges and existing commits', async () => {
    await using tree = await treeWith({})
    await tree.commit('Old')
    expect(await tree.push(tester, 'main:topic')).toEqual(accepted)
    await tester.put(`/projects/${tree.project.id}/push_rule`, { commit_message_regex: 'JIRA', member_check: true })
    expect(await tree.push(tester, 'main:again')).toEqual(accepted)
    await tree.run('checkout', '--quiet', '-b', 'side', 'HEAD~1')
    await tree.commit('JIRA')
    await tree.run('checkout', '--quiet', 'main')
    await tree.run('merge', '--quiet', '--no-ff', '--message', 'Merge', 'side')
    expect(await tree.push(tester, 'main')).toEqual(accepted)
  })

  test('of many commits is checked completely', async () => {
    await using tree = await treeWith({ commit_message_regex: 'JIRA', file_name_regex: '\\.exe$', member_check: true })
    const tip = await tree.run('rev-parse', 'HEAD')
    const bad = await tree.run('commit-tree', '-p', tip, '-m', 'Bad', `${tip}^{tree}`)
    let last = bad
    for (let index = 0; index < 120; index++) {
      last = await tree.run('commit-tree', '-p', last, '-m', `JIRA-${index}`, `${tip}^{tree}`)
    }
    const sentence = "Commit message does not follow the pattern 'JIRA'"
    expect(await tree.push(tester, `${last}:refs/heads/main`)).toEqual(refused(sentence))
    await tester.put(`/projects/${tree.project.id}/push_rule`, { commit_message_regex: 'JIRA|Bad' })
    expect(await tree.push(tester, `${last}:refs/heads/main`)).toEqual(accepted)
  })

  test('whose messages take too many steps to match is refused', async () => {
    await using tree = await treeWith({ commit_message_regex: '([a-z]{0,100}\\W){5}[0-9]' })
    await tree.commit('word '.repeat(20_000))
    const { isAccepted, sentences } = await tree.push(tester, 'main')
    expect(isAccepted).toBe(false)
    expect(sentences[0]).toMatch(/^Commit message is too long to be checked against the pattern/)
  })

  test('matches patterns that are slow in backtracking engines', async () => {
    await using tree = await treeWith({ commit_message_negative_regex: '(a*)*b', file_name_regex: '(x+x+)+y$' })
    await tree.commit('a'.repeat(50_000), { ['x'.repeat(200)]: '1' })
    expect(await tree.push(tester, 'main')).toEqual(accepted)
  })

  test('does not check the first commit that the server makes', async () => {
    const group = await server.make.group('begun', tester)
    await tester.post(`/groups/${group.id}/push_rule`, { commit_message_regex: 'JIRA' })
    const values = { name: 'with a readme', namespace_id: group.id, initialize_with_readme: true }
    expect((await tester.post('/projects', values)).body.default_branch).toBe('main')
  })
})
