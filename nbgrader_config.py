"""nbgrader's configuration of this course: its commands and formgrader's buttons grade through the referee."""

c = get_config()  # type: ignore[name-defined]

c.CourseDirectory.course_id = "autograd"
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "course"
# Sources, the bank of mistakes and what is known of mutants are never released. Other files that a student ships
# beside the notebook are not used, and the referee removes nbgrader's copies of them from autograded/.
c.CourseDirectory.ignore = [
    "*.py",
    "*.pyc",
    "mutants.json",
    "proved.json",
    "equivalents.toml",
    "guesses.toml",
    "__pycache__",
    ".ipynb_checkpoints",
    "README.md",
]

c.GenerateAssignment.preprocessors = [
    "nbgrader.preprocessors.LockCells",
    "nbgrader.preprocessors.ClearSolutions",
    "autograder.classroom.nbgrader_plugin.ClearOutputs",
    "nbgrader.preprocessors.CheckCellMetadata",
    "nbgrader.preprocessors.ComputeChecksums",
    "autograder.classroom.seal.SealedCells",
    "nbgrader.preprocessors.ClearHiddenTests",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.CheckCellMetadata",
]
c.ClearSolutions.code_stub = {"python": 'raise NotImplementedError("your answer goes here")'}

c.Autograde.exporter_class = "autograder.classroom.nbgrader_plugin.SubmissionExporter"
c.Autograde.pre_convert_hook = "autograder.classroom.nbgrader_plugin.find_submission"
c.Autograde.sanitize_preprocessors = []
c.Autograde.autograde_preprocessors = [
    "autograder.classroom.nbgrader_plugin.Referee",
    "autograder.classroom.late.LatePenalties",
]
c.GenerateFeedback.exporter_class = "autograder.classroom.feedback.page.FeedbackExporter"
c.HTMLExporter.sanitize_html = True
c.HTMLExporter.mathjax_url = ""

# The walls around submissions; `autograder doctor` says whether this machine has them.
c.Sandbox.call_seconds = 10
c.Sandbox.notebook_seconds = 240
c.Sandbox.memory_mb = 2048
