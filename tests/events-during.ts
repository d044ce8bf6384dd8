import type { Tx } from '../src/infra/database/index.ts'
import type { TestServer } from '../src/testing/index.ts'

/** The events that followed during some work in transactions that were committed, each with its payload, and the acts. */
export async function eventsDuring(server: TestServer, work: () => Promise<void>): Promise<string[]> {
  const { reactions } = server.app.platform as { reactions: Record<string, unknown> }
  const original = { ...reactions }
  const seen: string[] = []
  for (const [event, following] of Object.entries(original)) {
    // A repository may have changed: attempts that were refused raise it too.
    if (event === 'repository.changed') continue
    const note = async (_platform: unknown, tx: Tx, payload: unknown) =>
      tx.afterCommit(() => seen.push(`${event} ${JSON.stringify(payload)}`))
    reactions[event] = [...(following as []), note]
  }
  try {
    await work()
  } finally {
    Object.assign(reactions, original)
  }
  return seen.sort()
}
