import type { Selectable } from 'kysely'
import type { Reader, Tables } from '../../../../infra/database/index.ts'

export type ReleaseRow = Selectable<Tables['releases']>
export type MilestoneRow = Selectable<Tables['milestones']>
export type TokenRow = Pick<
  Selectable<Tables['access_tokens']>,
  'id' | 'name' | 'user_id' | 'project_id' | 'namespace_id' | 'created_at' | 'expires_at'
>

export async function releaseById(db: Reader, id: number): Promise<ReleaseRow | null> {
  return (await db.selectFrom('releases').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

export async function linksOfRelease(db: Reader, releaseId: number) {
  return db.selectFrom('release_links').selectAll().where('release_id', '=', releaseId).orderBy('id').execute()
}

export async function milestoneById(db: Reader, id: number): Promise<MilestoneRow | null> {
  return (await db.selectFrom('milestones').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

/** Tokens of the bots of projects and groups that end on a day, some after an id. */
export async function tokensEndingOn(db: Reader, day: string, afterId: number, limit: number): Promise<TokenRow[]> {
  return db
    .selectFrom('access_tokens')
    .select(['id', 'name', 'user_id', 'project_id', 'namespace_id', 'created_at', 'expires_at'])
    .where('kind', 'in', ['project', 'group'])
    .where('revoked', '=', false)
    .where('expires_at', '=', day)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute()
}
