import { createHash } from 'node:crypto'
import { bytesAt, clientOf } from '../../../src/testing/index.ts'
import { ask, bodyAt, change, choose, type Piece, project, readEach } from './load.ts'

const digestOf = (content: Buffer | string) => createHash('sha256').update(content).digest('hex')
const uploadPath = (name: string) => `${project}/uploads/${name.split(':')[1]}`

/** Uploads files for Markdown, and deletes them. */
export const uploads: Piece = {
  title: 'upload',
  kinds: ['upload'],
  clients: 1,
  async step(load, _client, step) {
    const name = choose(load, 'upload:')
    if (name && load.random() < 0.2)
      return void (await change(load, name, null, (client) => client.delete(uploadPath(name))))
    const content = `${step}\n`.repeat(1 + Math.floor(load.random() * 10_000))
    const form = new FormData()
    form.set('file', new File([content], 'file.txt'))
    const { body } = await ask(load, (client) => client.post(`${project}/uploads`, form))
    load.ledger.acknowledge(`upload:${body.id}`, digestOf(content))
  },
  read: (load, names) =>
    readEach(names, async (name) => {
      const { status, bytes } = await bytesAt(clientOf(load.url(), load.token), uploadPath(name))
      if (status === 404) return null
      return status === 200 ? digestOf(bytes) : `status ${status}`
    }),
}

const releasePath = (name: string) => `${project}/releases/${name.split(':')[1]}`

/** Makes releases with their tags, changes and deletes them. */
export const releases: Piece = {
  title: 'release',
  kinds: ['release'],
  clients: 1,
  async step(load, _client, step) {
    const name = choose(load, 'release:')
    const chance = load.random()
    const description = `about ${step}`
    if (!name || chance < 0.5) {
      const tag = `v${step}`
      const release = { tag_name: tag, ref: 'main', description }
      await change(load, `release:${tag}`, description, (client) => client.post(`${project}/releases`, release))
    } else if (chance < 0.8) {
      await change(load, name, description, (client) => client.put(releasePath(name), { description }))
    } else await change(load, name, null, (client) => client.delete(releasePath(name)))
  },
  read: (load, names) =>
    readEach(names, async (name) => {
      const body = await bodyAt(load, releasePath(name))
      // The tag must be there, too.
      return body && (body.commit?.id ? body.description : 'without its tag')
    }),
}
