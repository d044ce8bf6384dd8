import { BadLine, booleanOf, type ImportLine, integerOf, textOf, timesOf } from '../../platform/index.ts'
import { patternProblem } from './pattern.ts'
import { patternNames } from './rules/params.ts'
import { insertPushRule, pushRuleOf, updatePushRule } from './store.ts'

const switches = [
  'deny_delete_tag',
  'member_check',
  'prevent_secrets',
  'commit_committer_check',
  'commit_committer_name_check',
  'reject_unsigned_commits',
  'reject_non_dco_commits',
] as const

/** Imports the push rule of a project; it replaces the one that a group gave it (contract 14, push_rule). */
export const importPushRule: ImportLine = async (_platform, into, line) => {
  const patterns = patternNames.map((name) => {
    const pattern = textOf(line, name)
    const problem = patternProblem(pattern ?? '')
    if (problem !== null) throw new BadLine(`${name} ${problem}`)
    return [name, pattern] as const
  })
  const values = {
    ...(Object.fromEntries(patterns) as Record<(typeof patternNames)[number], string | null>),
    ...(Object.fromEntries(switches.map((name) => [name, booleanOf(line, name, false)])) as Record<
      (typeof switches)[number],
      boolean
    >),
    max_file_size: integerOf(line, 'max_file_size', { least: 0, most: 2 ** 31 - 1 }) ?? 0,
    ...timesOf(line),
  }
  return async (tx) => {
    const former = await pushRuleOf(tx, 'project', into.id)
    if (former) await updatePushRule(tx, former.id, values)
    else await insertPushRule(tx, { ...values, project_id: into.id, namespace_id: null })
  }
}
