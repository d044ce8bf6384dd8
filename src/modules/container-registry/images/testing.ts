import type { TestServer } from '../../../testing/index.ts'
import type { RegistryRepositoryRow } from '../tables.ts'
import { tagNames } from '../tags/store.ts'
import { imageRowsOf } from '../tags/testing.ts'

/** What tests of images do with a server besides requests over HTTP. */
export function registryRows(server: TestServer) {
  const { database, clock } = server.app.platform
  const images = imageRowsOf(server)
  return {
    ...images,

    /** Makes an image of its own for each tag, which is so many days old. */
    async agedImages(id: number, name: string, agesInDays: Readonly<Record<string, number>>): Promise<void> {
      for (const [tag, days] of Object.entries(agesInDays)) {
        const imageCreatedAt = new Date(clock.now().getTime() - days * 86_400_000).toISOString()
        await images.image(id, `${name} ${tag}`, { tags: [tag], layers: { [tag]: 7 }, imageCreatedAt })
      }
    },

    /** The names of the tags of a repository. */
    tagNames: async (id: number): Promise<string[]> => (await tagNames(database.read, [id])).get(id) ?? [],

    /** The record of a repository. */
    row: (id: number): Promise<RegistryRepositoryRow | undefined> =>
      database.read.selectFrom('registry_repositories').selectAll().where('id', '=', id).executeTakeFirst(),

    /** Changes a record behind the server's back. */
    async change(id: number, changes: Partial<Omit<RegistryRepositoryRow, 'id'>>): Promise<void> {
      await database.write((tx) => tx.updateTable('registry_repositories').set(changes).where('id', '=', id).execute())
    },

    /** Changes settings of a project behind the server's back. */
    async setLevel(project: { id: number }, level: 'enabled' | 'private' | 'disabled'): Promise<void> {
      const settings = JSON.stringify({ container_registry_access_level: level })
      await database.write((tx) => tx.updateTable('projects').set({ settings }).where('id', '=', project.id).execute())
    },
  }
}

export type RegistryRows = ReturnType<typeof registryRows>
