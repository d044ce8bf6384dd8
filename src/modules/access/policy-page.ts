import { escapeHtml } from '../../infra/markdown/index.ts'
import { groupPolicy, projectPolicy, type Rule, role, roleName } from './policy.ts'

const columns = [role.guest, role.planner, role.reporter, role.developer, role.maintainer, role.owner]

/** Who has an ability without a role. */
function withoutRole({ visible, administrators }: Rule): string {
  if (administrators) return 'administrators only'
  return visible === 'public' ? 'all callers' : visible === 'signed-in' ? 'signed-in users' : ''
}

function conditionsOf({ writes, feature, needsCode, oneOf, hidesFromAnonymous, fromBelow }: Rule): string {
  const conditions = [
    writes ? 'not while archived' : '',
    feature ? `needs ${feature}` : '',
    needsCode ? 'needs the code' : '',
    oneOf ? `needs ${oneOf.join(' or ')}` : '',
    hidesFromAnonymous ? 'hidden from anonymous callers' : '',
    fromBelow ? 'also with a role in a project below' : '',
  ]
  return conditions.filter((text) => text !== '').join('; ')
}

const cells = (tag: 'td' | 'th', texts: readonly string[]) =>
  texts.map((text) => `<${tag}>${escapeHtml(text)}</${tag}>`).join('')

function rowOf([ability, rule]: [string, Rule]): string {
  const roles = columns.map((level) => (level >= rule.role ? 'yes' : ''))
  return `<tr>${cells('td', [ability, withoutRole(rule), ...roles, conditionsOf(rule)])}</tr>`
}

function tableOf(policy: Readonly<Record<string, Rule>>): string {
  const heads = ['ability', 'where visible', ...columns.map(roleName), 'conditions']
  return `<table border="1">
<thead><tr>${cells('th', heads)}</tr></thead>
<tbody>
${Object.entries(policy).map(rowOf).join('\n')}
</tbody>
</table>`
}

/** The policy as a page: which role has which ability, from the tables that decide. */
export function policyPage(): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Who may do what</title>
</head>
<body>
<h1>Who may do what</h1>
<p>A role counts where it was given and in everything below. Administrators have every ability. "Where visible" says who has an
ability without a role, in a project or group that its visibility shows to them. "Not while archived" holds while a project is
archived, and while a project or group is marked for deletion. A feature that a project limits to members needs a role; one that is
disabled refuses every caller.</p>
<h2>Projects</h2>
${tableOf(projectPolicy)}
<h2>Groups</h2>
${tableOf(groupPolicy)}
</body>
</html>
`
}
