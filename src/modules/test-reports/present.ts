import { forms, nullable, Type } from '../../api/index.ts'

const number = Type.Unsafe<number>({ type: 'number' })

const numbers = {
  total_time: number,
  total_count: Type.Integer(),
  success_count: Type.Integer(),
  failed_count: Type.Integer(),
  skipped_count: Type.Integer(),
  error_count: Type.Integer(),
}

/** A case of a test report (contract 26.6, TestCase). */
const TestCaseObject = Type.Object(
  {
    status: Type.String(),
    name: Type.String(),
    classname: forms.nullableString,
    file: forms.nullableString,
    execution_time: number,
    system_output: forms.nullableString,
    stack_trace: Type.Unsafe<null>({ type: 'null' }),
    recent_failures: nullable(Type.Object({ count: Type.Integer(), base_branch: Type.String() })),
    attachment_url: Type.Optional(Type.String()),
  },
  { title: 'TestCase' },
)

/** The tests of a pipeline (contract 26.6, TestReport). */
export const TestReport = Type.Object(
  {
    ...numbers,
    test_suites: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          ...numbers,
          suite_error: forms.nullableString,
          test_cases: Type.Array(TestCaseObject),
        },
        { title: 'TestSuite' },
      ),
    ),
  },
  { title: 'TestReport' },
)

/** The tests of a pipeline without their cases (contract 26.6, Summary). */
export const TestReportSummary = Type.Object(
  {
    total: Type.Object({
      time: number,
      count: Type.Integer(),
      success: Type.Integer(),
      failed: Type.Integer(),
      skipped: Type.Integer(),
      error: Type.Integer(),
      suite_error: forms.nullableString,
    }),
    test_suites: Type.Array(
      Type.Object(
        {
          name: Type.String(),
          ...numbers,
          build_ids: Type.Array(Type.Integer()),
          suite_error: forms.nullableString,
        },
        { title: 'TestSuiteSummary' },
      ),
    ),
  },
  { title: 'TestReportSummary' },
)
