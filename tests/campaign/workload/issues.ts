import { ask, bodyAt, change, choose, type Piece, project, readEach } from './load.ts'

type Shown = { title: string; state: string; labels: string[] }
const shown = ({ title, state, labels }: Shown) => `${title} ${state} ${[...labels].sort()}`
const pathOf = (name: string) => `${project}/issues/${name.split(':')[1]}`

/** Opens issues, changes and deletes them. */
export const issues: Piece = {
  title: 'issue',
  kinds: ['issue'],
  clients: 1,
  async step(load, _client, step) {
    const name = choose(load, 'issue:')
    const chance = load.random()
    if (!name || chance < 0.5) {
      const issue = { title: step, labels: 'new' }
      const { body } = await ask(load, (client) => client.post(`${project}/issues`, issue))
      load.ledger.acknowledge(`issue:${body.iid}`, shown(body))
    } else if (chance < 0.9) {
      const isOpen = load.ledger.valueOf(name)?.includes(' opened ')
      const wanted = shown({ title: step, state: isOpen ? 'closed' : 'opened', labels: ['changed', 'old'] })
      const changes = { title: step, labels: 'old,changed', state_event: isOpen ? 'close' : 'reopen' }
      await change(load, name, wanted, (client) => client.put(pathOf(name), changes))
    } else await change(load, name, null, (client) => client.delete(pathOf(name)))
  },
  read: (load, names) =>
    readEach(names, async (name) => {
      const body = await bodyAt(load, pathOf(name))
      return body && shown(body)
    }),
}

const notePath = (name: string) => `${project}/issues/1/notes/${name.split(':')[1]}`

/** Writes comments, changes and deletes them. */
export const notes: Piece = {
  title: 'note',
  kinds: ['note'],
  clients: 1,
  async prepare(load) {
    const { body } = await ask(load, (client) => client.post(`${project}/issues`, { title: 'discussed' }))
    if (body.iid !== 1) throw new Error(`the first issue has the number ${body.iid}`)
  },
  async step(load, _client, step) {
    const name = choose(load, 'note:')
    const chance = load.random()
    const content = { body: step }
    if (!name || chance < 0.6) {
      const { body } = await ask(load, (client) => client.post(`${project}/issues/1/notes`, content))
      load.ledger.acknowledge(`note:${body.id}`, step)
    } else if (chance < 0.9) await change(load, name, step, (client) => client.put(notePath(name), content))
    else await change(load, name, null, (client) => client.delete(notePath(name)))
  },
  read: (load, names) => readEach(names, async (name) => (await bodyAt(load, notePath(name)))?.body ?? null),
}
