/** What an import has to bring and the demo does not have. */
import { createHash } from 'node:crypto'
import type { TestServer } from '../src/testing/index.ts'

/** Content of the large file (LFS) of the project. */
export const largeFile = Buffer.from('the content of a large file')
export const largeFileOid = createHash('sha256').update(largeFile).digest('hex')

/** A file that the texts of its issues refer to. */
export const picture = 'no real picture'

const at = `/projects/${encodeURIComponent('slipway/extras')}`

/** Adds a project `slipway/extras` with merge requests that ended in every way, a large file, and what cannot be read. */
export async function addExtras({
  root,
  url,
  rootToken,
}: Pick<TestServer, 'root' | 'url' | 'rootToken'>): Promise<void> {
  async function ask(method: 'post' | 'put' | 'delete', path: string, body?: object) {
    const answer = await root.request(method.toUpperCase(), path, { body })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const group = (await root.get('/groups/slipway')).body
  const described = { name: 'Extras', path: 'extras', namespace_id: group.id, visibility: 'private' }
  await ask('post', '/projects', { ...described, initialize_with_readme: true })
  await ask('delete', `${at}/protected_branches/main`)
  const stored = await fetch(`${url}/slipway/extras.git/gitlab-lfs/objects/${largeFileOid}/${largeFile.length}`, {
    method: 'PUT',
    headers: {
      Authorization: `Basic ${Buffer.from(`root:${rootToken}`).toString('base64')}`,
      'Content-Type': 'application/octet-stream',
    },
    body: largeFile,
  })
  if (stored.status !== 200) throw new Error(`LFS: ${stored.status}`)
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${largeFileOid}\nsize ${largeFile.length}\n`
  const commit = (branch: string, file_path: string, content: string, start_branch?: string) =>
    ask('post', `${at}/repository/commits`, {
      ...{ branch, start_branch, commit_message: `Add ${file_path}` },
      actions: [{ action: 'create', file_path, content }],
    })
  await commit('main', 'large.bin', pointer)
  const request = async (branch: string) => {
    await commit(branch, `${branch}.txt`, branch, 'main')
    const given = { source_branch: branch, target_branch: 'main', title: branch }
    return `${at}/merge_requests/${(await ask('post', `${at}/merge_requests`, given)).iid}`
  }
  await ask('put', `${await request('merged')}/merge`, { should_remove_source_branch: true })
  await ask('delete', await request('deleted'))
  const reviewed = await request('reviewed')
  await ask('put', reviewed, { state_event: 'close' })
  await ask('delete', `${at}/repository/branches/reviewed`)
  await ask('put', `${await request('squashed')}/merge`, { squash: true, should_remove_source_branch: true })
  await request('open')
  const form = new FormData()
  form.set('file', new File([picture], 'a picture.png', { type: 'image/png' }))
  const { markdown } = (await root.post(`${at}/uploads`, form)).body
  for (const title of ['first', 'second', 'third']) {
    await ask('post', `${at}/issues`, { title, description: `Look: ${markdown}\n\n\`\`\`\n/close\n\`\`\`` })
  }
  await ask('delete', `${at}/issues/2`)
  await ask('post', `${at}/issues/3/add_spent_time`, { duration: '90m' })
  const hidden = { key: 'SECRET', value: 'a-long-secret', masked_and_hidden: true }
  await ask('post', `${at}/variables`, hidden)
  await ask('post', '/groups/slipway/variables', { key: 'REGION', value: 'north' })
  await ask('put', at, { wiki_access_level: 'disabled' })
  await ask('post', `${at}/archive`)
  const note = { title: 'a note', description: 'of a user', visibility: 'private' }
  await ask('post', '/snippets', {
    ...note,
    files: [
      { file_path: 'a/note.md', content: '# Note' },
      { file_path: 'b', content: 'ü' },
    ],
  })
}
