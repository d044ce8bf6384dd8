/** A variable as a job gets it (contract 03, "Delivery to jobs"). */
export type JobVariable = {
  key: string
  value: string
  /** Whether the log may show it; false for stored variables. */
  public: boolean
  masked: boolean
  /** Whether the runner writes the value to a file. */
  file: boolean
  /** Whether references in the value are not expanded. */
  raw: boolean
}

/** The sources of variables, the weakest first; of one key the last wins (contract 03, "Delivery to jobs"). */
export const sources = [
  'predefined',
  'configuration',
  'reports',
  'instance',
  'groups',
  'project',
  'pipeline',
  'played',
] as const
export type VariableSource = (typeof sources)[number]

/** All variables of a job, in the order of their sources; of one key only the last stays, at its place. */
export function mergeVariables(
  given: Readonly<Partial<Record<VariableSource, readonly JobVariable[]>>>,
): JobVariable[] {
  const all = sources.flatMap((source) => given[source] ?? [])
  const last = new Map(all.map((variable, index) => [variable.key, index]))
  return all.filter(({ key }, index) => last.get(key) === index)
}
