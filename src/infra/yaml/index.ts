/** Parses untrusted YAML. */
export { parseYaml, YamlError } from './parse.ts'
