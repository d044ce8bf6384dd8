import { sql } from 'kysely'
import type { Answer, TestServer } from '../../testing/index.ts'

/** What is said against the path of a group. */
export const pathRule =
  "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'."

/** What is said against it as the path of a namespace. */
export const strictPathRule =
  "can only include non-accented letters, digits, '_', '-' and '.'. It must not start with '-', '_', or '.', nor end with '-', '_', '.', '.git', or '.atom'."

/** Paths of the groups or projects that were answered. */
export const pathsOf = ({ body }: Answer): string[] => body.map(({ path }: { path: string }) => path)

/** Inserts so many groups directly below a group, `many1` to `many<count>`, with its visibility: for lists that read many another way. */
export async function insertSubgroups({ app }: TestServer, id: number, count: number): Promise<void> {
  await app.platform.database.write(async (tx) => {
    await sql`insert into namespaces
        (kind, name, path, full_path, full_name, parent_id, visibility, created_at, updated_at)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${sql.lit(count)})
      select kind, 'many' || n, 'many' || n, full_path || '/many' || n, full_name || ' / many' || n, id, visibility,
        created_at, updated_at
      from numbers cross join namespaces where id = ${id}`.execute(tx)
    await sql`insert into namespace_ancestors (namespace_id, ancestor_id, depth)
      select below.id, above.ancestor_id, above.depth + 1
      from namespaces below cross join namespace_ancestors above
      where below.parent_id = ${id} and below.path like 'many%' and above.namespace_id = ${id}
      union all select id, id, 0 from namespaces where parent_id = ${id} and path like 'many%'`.execute(tx)
  })
}

/** Removes what `insertSubgroups` inserted. */
export async function removeSubgroups({ app }: TestServer, id: number): Promise<void> {
  await app.platform.database.write((tx) =>
    tx.deleteFrom('namespaces').where('parent_id', '=', id).where('path', 'like', 'many%').execute(),
  )
}
