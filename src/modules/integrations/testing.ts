import type { Clock } from '../../infra/clock/index.ts'
import { deliver } from '../alerts/testing.ts'
import { startWithReceiver } from '../hooks/testing.ts'

/** Starts a server with a receiver on this machine, which integrations may reach, and a group with a project of an owner. */
export async function startWithSink(options?: { clock: Clock }) {
  const given = await startWithReceiver(options)
  const { server, owner, project, group, receiver } = given
  const at = `/projects/${project.id}`
  const inGroup = `/groups/${group.id}`

  /** Sets up an integration. */
  async function set(slug: string, fields: object, path = at) {
    const answer = await owner.put(`${path}/integrations/${slug}`, fields)
    if (answer.status !== 200) throw new Error(`not set up: ${JSON.stringify(answer.body)}`)
    return answer.body as { id: number }
  }
  return {
    ...given,
    at,
    inGroup,
    set,
    /** Takes all settings away, and forgets what the receiver has got. */
    async reset() {
      await given.settle()
      await server.app.platform.database.write((tx) => tx.deleteFrom('integrations').execute())
      receiver.reset()
    },
    async openIssue(given: object = {}) {
      const answer = await owner.post(`${at}/issues`, { title: 'Broken', ...given })
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
      return answer.body as { iid: number; web_url: string }
    },
    /** Where the alerts of the project are, and what receives them, one after another. */
    async alerts() {
      const made = await owner.post(`${at}/alert_management_integrations`, { name: 'monitor', type: 'http' })
      if (made.status !== 201) throw new Error(JSON.stringify(made.body))
      return {
        alerts: `${at}/alert_management_alerts`,
        async receive(alerts: readonly object[]) {
          for (const alert of alerts) await deliver(made.body.url, made.body.token, alert)
        },
      }
    },
    /** What the receiver has got once everything is done. */
    async sent() {
      await given.settle()
      return receiver.received
    },
    /** The texts of messages to Slack. */
    async texts(): Promise<string[]> {
      await given.settle()
      return receiver.received.map(({ body }) => JSON.parse(body).text)
    },
  }
}

export type WithSink = Awaited<ReturnType<typeof startWithSink>>
