;;; skillstudio.el --- Check agent skills with Eglot  -*- lexical-binding: t; -*-

;;; Commentary:

;; skillstudio's language server for Emacs 29 and later, and for Emacs 28 with the package eglot.
;; In your init file: (load "~/.emacs.d/skillstudio.el")

;;; Code:

(require 'eglot)
(require 'project)
(require 'seq)

(defcustom skillstudio-trusted nil
  "Folders whose projects may bring the program, in .venv or venv."
  :type '(repeat directory)
  :group 'eglot
  :risky t)

(defcustom skillstudio-fix-on-save nil
  "Whether to apply safe fixes when you save a file of a skill."
  :type 'boolean
  :group 'eglot)

(defun skillstudio--find (program root trusted)
  "Find PROGRAM on the PATH; below ROOT only if TRUSTED."
  (let ((exec-path (seq-filter
                    (lambda (entry)
                      (and (file-name-absolute-p entry)
                           (or trusted (not (file-in-directory-p entry root)))))
                    exec-path)))
    (executable-find program)))

(defun skillstudio-command (&rest _)
  "Return the command of the language server for the current project."
  (let* ((project (project-current))
         (root (expand-file-name (if project (project-root project) default-directory)))
         (trusted (seq-some (lambda (folder) (file-in-directory-p root folder))
                            skillstudio-trusted))
         (scripts (if (eq system-type 'windows-nt) "Scripts/skillstudio.exe" "bin/skillstudio"))
         (files (mapcar (lambda (name) (expand-file-name (concat name "/" scripts) root))
                        '(".venv" "venv")))
         (program (or (and trusted (seq-find #'file-executable-p files))
                      (skillstudio--find "skillstudio" root trusted)))
         (uvx (skillstudio--find "uvx" root trusted)))
    (cond (program (list program "lsp"))
          (uvx (list uvx "--from" "skillstudio[lsp]" "skillstudio" "lsp"))
          (t (user-error "Install skillstudio[lsp] or uv")))))

(defun skillstudio-fix ()
  "Apply all safe fixes to the current buffer."
  (interactive)
  (ignore-errors
    (eglot-code-actions (point-min) (point-max) "source.fixAll.skillstudio" t)))

(defun skillstudio--before-save ()
  "Apply all safe fixes if the user wants that."
  (when (and skillstudio-fix-on-save (eglot-managed-p))
    (skillstudio-fix)))

(defun skillstudio-ensure ()
  "Start the language server if the current buffer is a file of a skill."
  (let* ((name (file-name-nondirectory buffer-file-name))
         (language (cdr (assoc (file-name-extension name)
                               '(("md" . "markdown") ("json" . "json") ("toml" . "toml")
                                 ("yaml" . "yaml") ("yml" . "yaml"))))))
    (when (and language
               (or (member name '("SKILL.md" "skill.toml" "skillstudio.toml"))
                   (locate-dominating-file buffer-file-name "SKILL.md")
                   (locate-dominating-file buffer-file-name "skill.toml")))
      (setq-local eglot-server-programs
                  (cons `(((,major-mode :language-id ,language)) . skillstudio-command)
                        eglot-server-programs))
      (add-hook 'before-save-hook #'skillstudio--before-save nil t)
      (eglot-ensure))))

(add-hook 'find-file-hook #'skillstudio-ensure)

(provide 'skillstudio)
;;; skillstudio.el ends here
