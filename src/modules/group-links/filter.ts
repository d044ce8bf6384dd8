/** Filters nested deeper than this are refused. */
const deepest = 50

const comparison = /[A-Za-z][\w;.-]*(?::[\w.-]+)*\s*(?:=|~=|>=|<=|:=)(?:[^()\\\0]|\\[0-9A-Fa-f]{2})*/y

/**
 * Whether a text is an LDAP filter (RFC 4515), such as `(&(objectClass=person)(!(cn=x*)))`. One comparison needs no parentheses.
 */
export function isLdapFilter(text: string): boolean {
  let at = 0
  const take = (letter: string) => text[at] === letter && ++at > 0
  const compares = () => {
    comparison.lastIndex = at
    const isOne = comparison.test(text)
    if (isOne) at = comparison.lastIndex
    return isOne
  }
  const filters = (depth: number): boolean => {
    if (!filter(depth)) return false
    while (text[at] === '(') if (!filter(depth)) return false
    return true
  }
  const filter = (depth: number): boolean => {
    if (depth > deepest || !take('(')) return false
    const isInner = take('&') || take('|') ? filters(depth + 1) : take('!') ? filter(depth + 1) : compares()
    return isInner && take(')')
  }
  return (text.startsWith('(') ? filter(0) : compares()) && at === text.length
}
