import { dayOf, failure, type Page, type PageRequest, recordNotFound } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, holdName, isUniqueViolation, now, type Reader } from '../../infra/database/index.ts'
import type { Project } from '../projects/index.ts'
import {
  describedEntriesOf,
  type GivenEntry,
  initialEntries,
  insertEntries,
  maximumRules,
  nameProblems,
  type ProtectedTagRow,
  placeOf,
  problemsOf,
} from '../protected-branches/index.ts'
import { type PresentedProtectedTag, presentProtectedTag } from './present.ts'
import { countTagRules, deleteTagRule, insertTagRule, pageOfTagRules, tagRuleNamed } from './store.ts'

/** What a new rule is to be. */
export type NewTagRule = { name: string; create_access_level?: number; allowed_to_create?: GivenEntry[] }

const taken = 'Name has already been taken'

/** Rules that protect tags (contract 01, x.protected_tag_*). */
export function createTagRules({ database, clock }: { database: Database; clock: Clock }) {
  async function present(db: Reader, rows: readonly ProtectedTagRow[]): Promise<PresentedProtectedTag[]> {
    const ids = rows.map(({ id }) => id)
    const lists = await describedEntriesOf(db, ['create'], ids)
    return rows.map((row) => presentProtectedTag(row, lists.get(row.id)?.create ?? []))
  }

  async function presentOne(db: Reader, row: ProtectedTagRow): Promise<PresentedProtectedTag> {
    const [presented] = await present(db, [row])
    if (!presented) throw recordNotFound()
    return presented
  }

  return {
    async list(project: Project, page: PageRequest): Promise<Page<PresentedProtectedTag>> {
      const found = await pageOfTagRules(database.read, project.id, page)
      return { ...found, items: await present(database.read, found.items) }
    },

    /** @throws ApiError 404 */
    async get(project: Project, name: string): Promise<PresentedProtectedTag> {
      const row = await tagRuleNamed(database.read, project.id, name)
      if (!row) throw recordNotFound()
      return presentOne(database.read, row)
    },

    /** @throws ApiError 422 */
    async create(project: Project, rule: NewTagRule): Promise<PresentedProtectedTag> {
      const all = initialEntries(rule.create_access_level, rule.allowed_to_create)
      return database
        .write(async (tx) => {
          await holdName(tx, `protected_tags:${project.id}`)
          const isTaken = (await tagRuleNamed(tx, project.id, rule.name)) !== null
          const isFull = (await countTagRules(tx, project.id)) >= maximumRules
          const problems = [
            ...nameProblems(rule.name),
            ...(isTaken ? [taken] : []),
            ...(isFull ? [`Protected tags is too long (maximum is ${maximumRules})`] : []),
            ...(await problemsOf(tx, placeOf(project), [{ kind: 'create', all, fresh: all }], dayOf(clock.now()))),
          ]
          if (problems.length > 0) throw failure(422, problems)
          const moment = now(clock)
          const stamps = { created_at: moment, updated_at: moment }
          const row = await insertTagRule(tx, { project_id: project.id, name: rule.name, ...stamps })
          await insertEntries(tx, 'create', row.id, all)
          return presentOne(tx, row)
        })
        .catch((error) => {
          throw isUniqueViolation(error, 'protected_tags_project_unique') ? failure(422, [taken]) : error
        })
    },

    /**
     * @param requireUnmodified throws when the rule is newer than the caller allows
     * @throws ApiError 404, 412
     */
    async remove(project: Project, name: string, requireUnmodified: (updatedAt: string) => void): Promise<void> {
      await database.write(async (tx) => {
        const row = await tagRuleNamed(tx, project.id, name)
        if (!row) throw recordNotFound()
        requireUnmodified(row.updated_at)
        await deleteTagRule(tx, row.id)
      })
    },
  }
}

export type TagRules = ReturnType<typeof createTagRules>
