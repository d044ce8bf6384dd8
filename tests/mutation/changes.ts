import ts from 'typescript-6'

/** A small change of a program: what takes the place of an expression. */
export type Change = { node: ts.Expression; text: string }

const swappedOperators: Partial<Record<ts.SyntaxKind, readonly string[]>> = {
  [ts.SyntaxKind.LessThanToken]: ['<='],
  [ts.SyntaxKind.LessThanEqualsToken]: ['<'],
  [ts.SyntaxKind.GreaterThanToken]: ['>='],
  [ts.SyntaxKind.GreaterThanEqualsToken]: ['>'],
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: ['!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: ['==='],
  [ts.SyntaxKind.PlusToken]: ['-'],
  [ts.SyntaxKind.MinusToken]: ['+'],
}

/** Operators and orders of queries, as arguments. */
const swappedWords: Record<string, string> = {
  '=': '!=',
  '!=': '=',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  in: 'not in',
  'not in': 'in',
  is: 'is not',
  'is not': 'is',
  asc: 'desc',
  desc: 'asc',
}

/** The same in the text of a query; each of them stands between spaces. */
const swappedTexts: Record<string, string> = {
  ...swappedWords,
  '<>': '=',
  and: 'or',
  or: 'and',
  exists: 'not exists',
  union: 'intersect',
}
const swappable = /(?<=[\s(])(<>|<=|>=|!=|=|<|>|not in|in|is not|is|asc|desc|and|or|exists|union)(?=[\s(]|$)/g

const swappedMethods: Record<string, string> = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  and: 'or',
  or: 'and',
  union: 'intersection',
  intersection: 'union',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
}

/** Methods without which a set, an order or a query is wider or another one. */
const droppedMethods = new Set(
  'filter slice sort toSorted reverse toReversed where whereRef orderBy limit offset having distinct trim toLowerCase difference'.split(
    ' ',
  ),
)
const roles = ['minimal', 'guest', 'planner', 'reporter', 'developer', 'maintainer', 'owner', 'administrator']
const status = /^[a-z][a-z0-9_]*$/

const source = (node: ts.Node) => node.getText()
const isLogical = (kind: ts.SyntaxKind) =>
  kind === ts.SyntaxKind.AmpersandAmpersandToken || kind === ts.SyntaxKind.BarBarToken

/** A comparison with another operator, or a condition without one of its sides. */
function ofBinary({ left, operatorToken, right }: ts.BinaryExpression): string[] {
  // In `...(x !== undefined && { x })` an absent member and an undefined one are the same.
  if (isLogical(operatorToken.kind)) {
    return ts.isObjectLiteralExpression(right)
      ? [`!(${source(left)}) && ${source(right)}`]
      : [source(left), source(right)]
  }
  const isText = (side: ts.Expression) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side)
  if (operatorToken.kind === ts.SyntaxKind.PlusToken && (isText(left) || isText(right))) return []
  return (swappedOperators[operatorToken.kind] ?? []).map((operator) => `${source(left)} ${operator} ${source(right)}`)
}

function ofCall(call: ts.CallExpression): string[] {
  const { expression: callee } = call
  if (!ts.isPropertyAccessExpression(callee) || callee.questionDotToken) return []
  const { text: name } = callee.name
  const receiver = source(callee.expression)
  if (droppedMethods.has(name)) return [receiver]
  if (name === 'has' || name === 'includes') return [`!${source(call)}`]
  const swapped = Object.hasOwn(swappedMethods, name) ? swappedMethods[name] : undefined
  return swapped ? [`${receiver}.${swapped}(${call.arguments.map(source).join(', ')})`] : []
}

/** An array without one of its elements. */
function ofArray({ elements, parent }: ts.ArrayLiteralExpression): string[] {
  const isTarget = ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.EqualsToken
  if ((isTarget && parent.left.kind === ts.SyntaxKind.ArrayLiteralExpression) || ts.isForOfStatement(parent)) return []
  return elements.map(
    (_, left) =>
      `[${elements
        .filter((_, index) => index !== left)
        .map(source)
        .join(', ')}]`,
  )
}

/** The text of a query with one operator, word or order replaced. */
function ofQuery(node: ts.TaggedTemplateExpression): string[] {
  if (!source(node.tag).startsWith('sql')) return []
  const { template } = node
  const literals = ts.isTemplateExpression(template)
    ? [template.head, ...template.templateSpans.map(({ literal }) => literal)]
    : [template]
  const start = node.getStart()
  const whole = source(node)
  return literals.flatMap((literal) => {
    const from = literal.getStart() - start
    return [...source(literal).matchAll(swappable)].map(({ 0: word, index }) => {
      const at = from + index
      return whole.slice(0, at) + swappedTexts[word] + whole.slice(at + word.length)
    })
  })
}

/** Whether a word is a value that something decides on, and no name of a column, a table or a field. */
function isStatus(node: ts.StringLiteral): boolean {
  const { parent } = node
  if (ts.isPropertyAssignment(parent)) return parent.initializer === node
  if (ts.isConditionalExpression(parent)) return parent.condition !== node
  return ts.isReturnStatement(parent) || ts.isArrowFunction(parent)
}

function ofWord(node: ts.StringLiteral): string[] {
  if (ts.isCallExpression(node.parent) && Object.hasOwn(swappedWords, node.text))
    return [`'${swappedWords[node.text]}'`]
  return status.test(node.text) && isStatus(node) ? [`'another_${node.text}'`] : []
}

function ofRole(node: ts.PropertyAccessExpression): string[] {
  if (source(node.expression) !== 'role') return []
  const at = roles.indexOf(node.name.text)
  return at < 0 ? [] : [`role.${roles[at === roles.length - 1 ? at - 1 : at + 1]}`]
}

/** Whether a condition is changed as a comparison or a combination already. */
function changesItself(node: ts.Expression): boolean {
  if (ts.isPrefixUnaryExpression(node)) return node.operator === ts.SyntaxKind.ExclamationToken
  return ts.isBinaryExpression(node) && ofBinary(node).length > 0
}

function isCondition({ parent }: ts.Expression): boolean {
  return ts.isIfStatement(parent) || ts.isConditionalExpression(parent)
}

function asCondition(node: ts.Expression): string[] {
  if (!isCondition(node) || changesItself(node)) return []
  const { parent } = node
  const condition = ts.isIfStatement(parent) ? parent.expression : (parent as ts.ConditionalExpression).condition
  return condition === node ? ['true', 'false'] : []
}

function ofExpression(node: ts.Expression): string[] {
  if (ts.isBinaryExpression(node)) return ofBinary(node)
  if (ts.isPrefixUnaryExpression(node)) {
    return node.operator === ts.SyntaxKind.ExclamationToken ? [source(node.operand)] : []
  }
  if (ts.isCallExpression(node)) return ofCall(node)
  if (ts.isArrayLiteralExpression(node)) return ofArray(node)
  if (ts.isTaggedTemplateExpression(node)) return ofQuery(node)
  if (ts.isStringLiteral(node)) return ofWord(node)
  if (ts.isPropertyAccessExpression(node)) return ofRole(node)
  if (ts.isNumericLiteral(node)) return [`${Number(node.text.replaceAll('_', '')) + 1}`]
  if (node.kind === ts.SyntaxKind.TrueKeyword) return ['false']
  return node.kind === ts.SyntaxKind.FalseKeyword ? ['true'] : []
}

/** Whether something else than this expression may stand in its place. */
function isReplaceable(node: ts.Expression): boolean {
  const { parent } = node
  if ((ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent)) && parent.name === node) return false
  // The rest of an optional chain is left out with its beginning.
  const continues =
    ts.isPropertyAccessExpression(parent) || ts.isCallExpression(parent) || ts.isNonNullExpression(parent)
  return !(continues && parent.expression === node && parent.flags & ts.NodeFlags.OptionalChain)
}

/** The changes of one expression; those of the expressions in it are not among them. */
export function changesOf(node: ts.Expression): Change[] {
  if (!isReplaceable(node)) return []
  return [...new Set([...ofExpression(node), ...asCondition(node)])].map((text) => ({ node, text }))
}
